/** The HTTP side of the wire: who may call, how large a body may be, which route, and how refusals are written. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { apply, preview, read, receipt, type Service } from './calls.js';
import { accept, type Outcome, type Refusal, refuse } from './outcome.js';
import type { Startup } from './startup.js';
import { admit, decodeApply, decodeEnvelope, decodeReceiptRequest } from './wire/envelope.js';
import type { Json } from './wire/json.js';
import type { Scope } from './wire/shapes.js';
import { parseStrict } from './wire/strict-json.js';

const ROUTES = ['/read', '/preview', '/apply', '/receipt', '/output', '/act', '/connector'];
/** Requests in hand at once, for each one the owner says it sends: a margin for health and look-ups. */
const ADMITTED_PER_SLOT = 4;

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Compares without telling, by its time, how much of a secret was right. */
const same = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

export class AddonServer {
  readonly http: Server;
  private inHand = 0;

  constructor(
    private readonly startup: Startup,
    private readonly service: Service,
    private readonly log: (message: string, fault: unknown) => void,
  ) {
    this.http = createServer((request, response) => void this.serve(request, response));
    this.http.requestTimeout = 60_000;
    this.http.headersTimeout = 20_000;
    this.http.keepAliveTimeout = 30_000;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.inHand += 1;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    try {
      const answered = await this.answer(request, gone.signal);
      if (answered.ok) send(response, 200, answered.value);
      else sendRefusal(response, answered.refusal);
    } catch (fault) {
      // What happened inside is for the log; the caller looks the receipt up.
      this.log('a call failed', fault);
      send(response, 500, { error: { code: 'internal', message: 'The add-on failed. Look the operation up.' } });
    } finally {
      this.inHand -= 1;
    }
  }

  private authorized(request: IncomingMessage): boolean {
    const { credential, registration } = this.startup;
    const bearer = same(request.headers.authorization ?? '', `Bearer ${credential}`);
    const incarnation = same(String(request.headers['x-localai-incarnation'] ?? ''), registration.incarnation);
    return bearer && incarnation;
  }

  private async answer(request: IncomingMessage, signal: AbortSignal): Promise<Outcome<object>> {
    if (!this.authorized(request)) {
      return refuse({ status: 401, code: 'unauthenticated', message: 'The credential or the incarnation is wrong.' });
    }
    const path = request.url ?? '';
    const health = path === '/health';
    if (!health && !ROUTES.includes(path)) {
      return refuse({ status: 404, code: 'not_found', message: 'There is no such call.' });
    }
    if (request.method !== (health ? 'GET' : 'POST')) {
      return refuse({ status: 405, code: 'method', message: 'The call has another method.' });
    }
    if (health) return accept(this.startup.registration);
    if (this.inHand > this.startup.limits.concurrency * ADMITTED_PER_SLOT) {
      return refuse({
        status: 429,
        code: 'busy',
        message: 'Too many calls at once. Nothing was changed.',
        retryAfterSeconds: 1,
      });
    }
    const body = await readBody(request, this.startup.limits.envelopeBytes);
    return body.ok ? this.route(path, body.value, signal) : body;
  }

  private async route(path: string, body: Json, signal: AbortSignal): Promise<Outcome<object>> {
    if (path === '/receipt') {
      const operationId = decodeReceiptRequest(body);
      return operationId.ok ? receipt(this.service, operationId.value) : operationId;
    }
    if (path === '/apply') {
      const decoded = decodeApply(body);
      if (!decoded.ok) return decoded;
      const admitted = this.admit(decoded.value.envelope, 'apply');
      return admitted.ok ? apply(this.service, admitted.value, decoded.value.revision) : admitted;
    }
    if (path !== '/read' && path !== '/preview') {
      return refuse({ status: 422, code: 'unsupported', message: 'This add-on has no files, actions or connectors.' });
    }
    const envelope = decodeEnvelope(body);
    if (!envelope.ok) return envelope;
    const admitted = this.admit(envelope.value, path === '/read' ? 'read' : 'preview');
    if (!admitted.ok) return admitted;
    return path === '/read' ? read(this.service, admitted.value, signal) : preview(this.service, admitted.value);
  }

  private admit(envelope: Parameters<typeof admit>[0], scope: Scope) {
    return admit(envelope, scope, this.startup.registration, this.service.now());
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<Outcome<Json>> {
  const tooLarge = refuse({ status: 413, code: 'too_large', message: `A call is at most ${limit} bytes.` });
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return refuse({ status: 415, code: 'invalid_request', message: 'A call is application/json.' });
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return parseStrict(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)));
  } catch {
    return refuse({ status: 400, code: 'invalid_request', message: 'The body is not UTF-8.' });
  }
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function sendRefusal(response: ServerResponse, { status, code, message, retryAfterSeconds }: Refusal): void {
  // An unread body cannot be followed by another request, so a refused one ends its connection.
  const headers = { Connection: 'close', ...(retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {}) };
  send(response, status, { error: { code, message } }, headers);
}
