/** Which origins are this server's own, and which scheme the browser used, behind a trusted proxy or not. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { OriginPolicy } from '../http/guard/mutation.js';
import type { RunOptions } from './options.js';

export function originsOf(options: RunOptions): OriginPolicy {
  const trusted = new Set(options.trustedProxies);
  const own: 'http' | 'https' = options.tls === undefined ? 'http' : 'https';
  return {
    ownOrigins: new Set(options.externalUrl === undefined ? [] : [options.externalUrl.origin]),
    scheme: (context: Context<{ Bindings: HttpBindings }>) => {
      const peer = context.env?.incoming?.socket.remoteAddress?.replace(/^::ffff:(?=\d)/, '') ?? '';
      if (!trusted.has(peer)) return own;
      const forwarded = context.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim();
      return forwarded === 'https' || forwarded === 'http' ? forwarded : own;
    },
  };
}
