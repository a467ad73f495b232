/** The client of one ready incarnation: what it sends, what it refuses to send, and how it stops (07:47-67). */
import { setMaxListeners } from 'node:events';
import type { CallFailure, Clock, OutputStream, RuntimeClient } from '../commands/ports.js';
import { decodePreview, decodeReceipt, decodeResult } from '../contract/answers.js';
import { admitEnvelope } from '../contract/envelope.js';
import { type Either, left, right } from '../contract/fp.js';
import { announced, type Limits } from '../contract/limits.js';
import type { Envelope, Preview, Receipt, Registration, Result, Revision, Scope } from '../contract/wire.js';
import { type Decode, interpret } from './answers.js';
import type { Deadlines } from './deadlines.js';
import { type Call, type Endpoint, type Exchange, exchange, keptConnections } from './exchange.js';
import { openStream } from './output-stream.js';

type Failed = Either<CallFailure, never>;

const notSent = (message: string): Failed => left({ kind: 'not-sent', message });

const HANDLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** An output is at most 64 MiB from this very machine; what takes longer than this is held up, not read. */
const OUTPUT_MS = 300_000;

export interface ClientOptions {
  readonly registration: Registration;
  readonly credential: string;
  readonly endpoint: Endpoint;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
}

export class BoundClient implements RuntimeClient {
  readonly incarnation: string;
  readonly generation: number;
  private readonly kept: ReturnType<typeof keptConnections>;
  private readonly cut = new AbortController();
  private withdrawn: string | undefined;
  private running = 0;
  /** What is being served now: the authority of the calls that the add-on makes to the host meanwhile. */
  private readonly serving = new Set<Envelope>();
  private whenIdle: (() => void)[] = [];

  constructor(private readonly options: ClientOptions) {
    this.incarnation = options.registration.incarnation;
    this.generation = options.registration.generation;
    // One listener a call under way, and those are bounded.
    setMaxListeners(0, this.cut.signal);
    this.kept = keptConnections(options.limits.concurrency + 1);
  }

  read(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Result>> {
    const timeoutMs = this.options.limits.readTimeoutMs;
    return this.enveloped(
      'read',
      envelope,
      envelope,
      { path: '/read', timeoutMs, kept: true },
      this.decode(decodeResult),
      signal,
    );
  }

  preview(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Preview>> {
    const timeoutMs = this.options.limits.previewTimeoutMs;
    const call = { path: '/preview', timeoutMs, kept: true };
    return this.enveloped(
      'preview',
      envelope,
      envelope,
      call,
      this.decode(decodePreview, envelope.request.operationId),
      signal,
    );
  }

  apply(envelope: Envelope, revision: Revision, signal?: AbortSignal): Promise<Either<CallFailure, Receipt>> {
    const call = { path: '/apply', timeoutMs: this.options.limits.applyTimeoutMs, kept: false };
    return this.enveloped(
      'apply',
      envelope,
      { envelope, revision },
      call,
      this.decode(decodeReceipt, envelope.request.operationId),
      signal,
    );
  }

  async receipt(operationId: string, signal?: AbortSignal): Promise<Either<CallFailure, Receipt>> {
    const call = { path: '/receipt', timeoutMs: this.options.limits.readTimeoutMs, kept: true };
    return this.admitted(call, JSON.stringify({ operationId }), this.decode(decodeReceipt, operationId), signal);
  }

  act(envelope: Envelope, signal?: AbortSignal): Promise<Either<CallFailure, Result>> {
    const call = { path: '/act', timeoutMs: this.options.limits.actTimeoutMs, kept: false };
    return this.enveloped('act', envelope, envelope, call, this.decode(decodeResult), signal);
  }

  async openOutput(
    envelope: Envelope,
    handle: string,
    signal?: AbortSignal,
  ): Promise<Either<CallFailure, OutputStream>> {
    const { deadlines, endpoint, limits } = this.options;
    if (!HANDLE.test(handle)) return notSent('The handle of the output is malformed.');
    const body = JSON.stringify({ envelope, handle });
    const unfit = this.unfit('output', envelope, Buffer.byteLength(body));
    if (unfit !== undefined) return notSent(unfit);
    const refused = this.enter(body);
    if (refused !== undefined) return refused;
    const bounds = {
      idleMs: limits.readTimeoutMs,
      totalMs: Math.max(OUTPUT_MS, limits.readTimeoutMs),
      maxBytes: announced(limits).artifactBytes,
    };
    const call = { path: '/output', headers: this.headers(), signals: this.signals(signal), body };
    const opened = await openStream(deadlines, endpoint, call, bounds, () => this.leave());
    if (opened.kind === 'open') return right(opened.stream);
    return interpret<OutputStream>(opened, () => left('it is no output'));
  }

  /** The raw answer of `GET /health`; takes no place from the calls. */
  health(timeoutMs: number, signal?: AbortSignal): Promise<Exchange> {
    return this.send({ method: 'GET', path: '/health', timeoutMs, kept: true }, undefined, signal);
  }

  /** Refuses every further call with `why`; the calls under way go on. */
  withdraw(why: string): void {
    this.withdrawn ??= why;
    if (this.running === 0) this.kept.destroy();
  }

  get busy(): boolean {
    return this.running > 0;
  }

  /** Resolves when no call is under way. */
  idle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.whenIdle.push(resolve));
  }

  /** Cuts the connections of the calls under way; what they did is then unknown. */
  abandon(): void {
    this.cut.abort();
    this.kept.destroy();
  }

  private async enveloped<A>(
    scope: Scope,
    envelope: Envelope,
    body: object,
    call: Sent,
    decode: Decode<A>,
    signal?: AbortSignal,
  ): Promise<Either<CallFailure, A>> {
    const text = JSON.stringify(body);
    const unfit = this.unfit(scope, envelope, Buffer.byteLength(text));
    if (unfit !== undefined) return notSent(unfit);
    // Two calls may share one envelope, and the first to end must not end the other's authority.
    const served = { ...envelope };
    this.serving.add(served);
    try {
      return await this.admitted(call, text, decode, signal);
    } finally {
      this.serving.delete(served);
    }
  }

  /** The envelopes of the calls under way with this operation id. */
  live(operationId: string): readonly Envelope[] {
    return [...this.serving].filter(({ request }) => request.operationId === operationId);
  }

  /** Why this envelope is not for this incarnation, this method or this moment. */
  private unfit(scope: Scope, envelope: Envelope, bytes: number): string | undefined {
    const { request, authority } = envelope;
    if (request.addonId !== this.options.registration.addonId) return 'The call is for another add-on.';
    if (request.generation !== this.generation)
      return `The call is for generation ${request.generation}, and generation ${this.generation} is running.`;
    if (authority.scope !== scope) return `The authority covers "${authority.scope}", not "${scope}".`;
    return admitEnvelope(envelope, this.options.clock.now().getTime(), this.options.limits, bytes);
  }

  /** Reads an answer within the configured limits; one that speaks of another operation proves nothing about this one. */
  private decode<A extends object>(
    read: (body: Uint8Array, limits: Limits) => Either<string, A>,
    operationId?: string,
  ): Decode<A> {
    return (body) => {
      const decoded = read(body, this.options.limits);
      if (decoded._tag === 'Left' || operationId === undefined) return decoded;
      const told = (decoded.right as { readonly operationId?: string }).operationId;
      return told === operationId ? decoded : left('it is about another operation');
    };
  }

  private async admitted<A>(
    call: Sent,
    body: string,
    decode: Decode<A>,
    signal?: AbortSignal,
  ): Promise<Either<CallFailure, A>> {
    const refused = this.enter(body);
    if (refused !== undefined) return refused;
    try {
      const result = await this.send({ method: 'POST', ...call }, body, signal);
      return interpret(result, decode, call.path === '/receipt');
    } finally {
      this.leave();
    }
  }

  /** Takes one of the places of the add-on; whoever took it leaves. */
  private enter(body: string): Failed | undefined {
    const { limits } = this.options;
    if (this.withdrawn !== undefined) return notSent(`This process no longer takes calls: ${this.withdrawn}.`);
    if (Buffer.byteLength(body) > limits.envelopeBytes) return notSent('The call is larger than an envelope may be.');
    if (this.running >= limits.concurrency)
      return left({
        kind: 'not-sent',
        full: true,
        message: `The add-on is serving ${limits.concurrency} calls, which is as many as it may at a time.`,
      });
    this.running += 1;
    return undefined;
  }

  private leave(): void {
    this.running -= 1;
    if (this.running === 0) this.becameIdle();
  }

  private headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.options.credential}`, 'X-LocalAI-Incarnation': this.incarnation };
  }

  private signals(signal?: AbortSignal): readonly AbortSignal[] {
    return signal === undefined ? [this.cut.signal] : [this.cut.signal, signal];
  }

  private becameIdle(): void {
    if (this.withdrawn !== undefined) this.kept.destroy();
    for (const resolve of this.whenIdle.splice(0)) resolve();
  }

  private send(call: Sent & Pick<Call, 'method'>, body: string | undefined, signal?: AbortSignal): Promise<Exchange> {
    const { deadlines, endpoint, limits } = this.options;
    const { method, path, timeoutMs } = call;
    return exchange(deadlines, endpoint, {
      method,
      path,
      timeoutMs,
      headers: this.headers(),
      maxBytes: limits.envelopeBytes,
      signals: this.signals(signal),
      ...(body === undefined ? {} : { body }),
      ...(call.kept ? { agent: this.kept } : {}),
    });
  }
}

interface Sent {
  readonly path: string;
  readonly timeoutMs: number;
  /** Over a kept connection, which may be tried a second time; never for a change. */
  readonly kept: boolean;
}
