/** The Hono application: security headers and guards first, then the route table, then the pages. */
import { Hono, type MiddlewareHandler } from 'hono';
import { refuse } from '../contract/refusal.js';
import { refusalResponse } from './answers.js';
import { type Call, callerOf, type HttpDependencies } from './call.js';
import { securityHeaders } from './guard/headers.js';
import { type OriginPolicy, refusedMutation } from './guard/mutation.js';
import { pages } from './pages.js';
import { ROUTES } from './routes/index.js';
import { takeRest } from './unread-body.js';

export interface AppOptions extends HttpDependencies {
  readonly origins: OriginPolicy;
  /** Absolute folder of the built web page. */
  readonly uiDir: string;
}

export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  app.use(takeRest);
  app.use(securityHeaders);
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', (context) => {
    const reason = options.gateway.notReady();
    return reason === undefined
      ? context.json({ status: 'ready' })
      : refusalResponse(context, refuse(reason.code, reason.message));
  });
  app.use(async (context, next) => {
    const refused = refusedMutation(context, options.origins);
    return refused === undefined ? next() : refusalResponse(context, refused);
  });
  app.use('/api/*', readyGate(options));
  app.use('/backends/*', readyGate(options));
  for (const route of ROUTES)
    app.on(route.method, route.path, (context) => {
      const call: Call = { context, caller: callerOf(context), deps: options };
      return route.handle(call);
    });
  methodNotAllowed(app);
  app.all('/api/*', (context) => refusalResponse(context, refuse('not_found', 'There is no such route.')));
  pages(app, options.uiDir);
  app.onError((error, context) => {
    options.log.error({ err: error, path: context.req.path }, 'request failed');
    return refusalResponse(
      context,
      refuse('unavailable', 'The server met an unexpected fault. The log has the detail.'),
    );
  });
  return app;
}

/** While the owner replays its journal nothing but its health is answered; a fenced owner still answers reads. */
function readyGate(options: AppOptions): MiddlewareHandler {
  return async (context, next) => {
    const reason = options.gateway.notReady();
    if (reason?.code === 'starting')
      return refusalResponse(context, refuse('starting', reason.message, { retryAfter: 1 }));
    return next();
  };
}

/** A known path with another method is 405 with `Allow`, not 404. */
function methodNotAllowed(app: Hono): void {
  const methods = new Map<string, string[]>();
  for (const route of ROUTES) methods.set(route.path, [...(methods.get(route.path) ?? []), route.method]);
  for (const [path, allowed] of methods)
    app.all(path, (context) => {
      context.header('Allow', allowed.includes('GET') ? [...allowed, 'HEAD'].join(', ') : allowed.join(', '));
      return refusalResponse(context, refuse('method', `This route takes ${allowed.join(' and ')}. Nothing changed.`));
    });
}
