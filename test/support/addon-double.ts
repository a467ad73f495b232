/**
 * An add-on and its runtime in memory, with faults on demand.
 *
 * What can break: a call can never leave (`not-sent`), be refused, be answered "busy" or "conflict", vanish after it
 * was applied (`lost`), vanish without being applied (`dropped`), hang for ever, or throw. What survives everything:
 * the add-on's own data, which also is the oracle of what was applied and how often.
 */
import type { CallFailure, Observation, RuntimeClient, Runtimes } from '../../src/commands/ports.js';
import { type Either, left, right } from '../../src/contract/fp.js';
import type { Json } from '../../src/contract/json.js';
import type { Envelope, Preview, Receipt, Result, Revision } from '../../src/contract/wire.js';

export type ApplyFault = 'lost' | 'dropped' | 'hang' | 'throw' | 'receipt-pending' | CallFailure;

interface Applied {
  readonly receipt: Receipt;
  times: number;
}

export class AddonDouble implements Runtimes {
  /** Data revisions by resource; a resource is here once the add-on created it. */
  readonly data = new Map<string, Revision>();
  readonly applied = new Map<string, Applied>();
  /** Every apply that arrived, in order, applied or not. */
  readonly applyCalls: { readonly envelope: Envelope; readonly revision: Revision }[] = [];
  readonly previews: Envelope[] = [];
  readonly reads: Envelope[] = [];
  readonly lookups: string[] = [];
  generation = 1;
  up = true;
  /** Faults of the next applies, first in first out; none means it works. */
  readonly applyFaults: ApplyFault[] = [];
  previewFault: CallFailure | 'hang' | undefined;
  receiptFault: CallFailure | undefined;
  readFault: CallFailure | 'hang' | undefined;
  summary: Json = { count: 2, sample: [{ row: 1 }, { row: 2 }] };
  previewExpiresMs = 600_000;
  readResult: Result | undefined;
  existsAnswer: 'truth' | 'silent' = 'truth';
  names = new Map<string, string>();
  /** Runs when an apply arrived and before it does anything. */
  onApply: ((envelope: Envelope) => void | Promise<void>) | undefined;
  onPreview: ((envelope: Envelope) => void | Promise<void>) | undefined;
  concurrent = 0;
  mostConcurrent = 0;
  private listeners: ((addonId: string) => void)[] = [];

  constructor(private readonly now: () => Date) {}

  async start(): Promise<Either<{ readonly reason: string }, void>> {
    return right(undefined);
  }
  async stop(): Promise<Either<{ readonly reason: string }, void>> {
    return right(undefined);
  }
  async recover(): Promise<Either<{ readonly reason: string }, void>> {
    return right(undefined);
  }
  async shutdown(): Promise<Either<{ readonly reason: string }, void>> {
    return right(undefined);
  }
  log(): readonly string[] {
    return ['a line'];
  }
  use(): ReturnType<Runtimes['use']> {
    return { heldBy: 'rlimit' };
  }
  limitsChanged(addonId: string): void {
    this.limited.push(addonId);
  }
  readonly limited: string[] = [];
  onChange(listener: (addonId: string) => void): void {
    this.listeners.push(listener);
  }
  /** Comes up (or goes down) and says so. */
  turn(up: boolean): void {
    this.up = up;
    for (const listener of this.listeners) listener('tables');
  }
  /** A new owner process has its own listeners. */
  forgetListeners(): void {
    this.listeners = [];
  }
  observe(): Observation {
    return { state: this.up ? 'running' : 'stopped', restarts: 0 };
  }

  current(_addonId: string, generation: number): Either<{ readonly reason: string }, RuntimeClient> {
    if (!this.up || generation !== this.generation) return left({ reason: 'not running' });
    return right({
      incarnation: '0'.repeat(32),
      generation,
      read: (envelope) => this.read(envelope),
      preview: (envelope) => this.preview(envelope),
      apply: (envelope, revision) => this.apply(envelope, revision),
      receipt: (operationId) => this.receipt(operationId),
      act: (envelope) => this.act(envelope),
      openOutput: async () => left({ kind: 'refused', message: 'there is no such output' }),
    });
  }

  private async read(envelope: Envelope): Promise<Either<CallFailure, Result>> {
    this.reads.push(envelope);
    if (this.readFault === 'hang') return new Promise(() => {});
    if (this.readFault !== undefined) return left(this.readFault);
    const id = envelope.request.resourceId ?? '';
    const tool = envelope.request.arguments.tool;
    this.concurrent += 1;
    this.mostConcurrent = Math.max(this.mostConcurrent, this.concurrent);
    await new Promise((resume) => setImmediate(resume));
    this.concurrent -= 1;
    if (tool === 'resource-exists')
      return this.existsAnswer === 'truth'
        ? right({ payload: { exists: this.data.has(id) } })
        : left({ kind: 'outage', message: 'silent' });
    if (tool === 'inspect') {
      const revision = this.data.get(id);
      if (revision === undefined) return left({ kind: 'refused', message: 'unknown' });
      return right({ payload: { name: this.names.get(id) ?? `name of ${id}`, revision: { ...revision } } });
    }
    return right(this.readResult ?? { payload: { rows: [] } });
  }

  private async preview(envelope: Envelope): Promise<Either<CallFailure, Preview>> {
    this.previews.push(envelope);
    await this.onPreview?.(envelope);
    if (this.previewFault === 'hang') return new Promise(() => {});
    if (this.previewFault !== undefined) return left(this.previewFault);
    const { operationId, resourceId = '', action } = envelope.request;
    const revision = action === 'create' ? { schema: 1, data: 0 } : this.data.get(resourceId);
    if (revision === undefined) return left({ kind: 'refused', message: 'there is no such database' });
    const expiresAt = new Date(this.now().getTime() + this.previewExpiresMs).toISOString();
    return right({ operationId, revision, expiresAt, summary: this.summary });
  }

  /** Every action tool that arrived; `actFault` says how it ended for the owner. */
  readonly acts: Envelope[] = [];
  actFault: CallFailure | 'hang' | undefined;

  private async act(envelope: Envelope): Promise<Either<CallFailure, Result>> {
    this.acts.push(envelope);
    if (this.actFault === 'hang') return new Promise(() => {});
    return this.actFault === undefined
      ? right({ payload: { ran: envelope.request.arguments.command ?? null } })
      : left(this.actFault);
  }

  /** Applies as the contract asks: one operation id is one operation, and a stale revision is rejected. */
  perform(envelope: Envelope, revision: Revision): Receipt {
    const { operationId, resourceId = '', action } = envelope.request;
    const before = this.applied.get(operationId);
    if (before !== undefined) {
      before.times += 1;
      return before.receipt;
    }
    const at = this.data.get(resourceId);
    const stale =
      action !== 'create' && (at === undefined || at.schema !== revision.schema || at.data !== revision.data);
    const receipt: Receipt = stale
      ? {
          operationId,
          state: 'rejected',
          revision: at ?? { schema: 1, data: 0 },
          result: { payload: { error: 'stale', message: 'the data changed' } },
        }
      : {
          operationId,
          state: 'committed',
          revision: { schema: revision.schema, data: revision.data + 1 },
          result: { payload: { count: 2 } },
        };
    if (!stale) {
      this.data.set(resourceId, receipt.revision);
      const { name } = envelope.request.arguments;
      if (typeof name === 'string') this.names.set(resourceId, name);
    }
    this.applied.set(operationId, { receipt, times: 1 });
    return receipt;
  }

  private async apply(envelope: Envelope, revision: Revision): Promise<Either<CallFailure, Receipt>> {
    this.applyCalls.push({ envelope, revision });
    await this.onApply?.(envelope);
    const fault = this.applyFaults.shift();
    if (fault === undefined) return right(this.perform(envelope, revision));
    if (typeof fault === 'object') return left(fault);
    switch (fault) {
      case 'lost':
        this.perform(envelope, revision);
        return left({ kind: 'outage', message: 'the connection broke' });
      case 'dropped':
        return left({ kind: 'outage', message: 'the connection broke' });
      case 'hang':
        return new Promise(() => {});
      case 'throw':
        throw new Error('a fault in the client');
      case 'receipt-pending':
        return right({ operationId: envelope.request.operationId, state: 'pending', revision });
    }
  }

  private async receipt(operationId: string): Promise<Either<CallFailure, Receipt>> {
    this.lookups.push(operationId);
    if (this.receiptFault !== undefined) return left(this.receiptFault);
    const found = this.applied.get(operationId);
    return found === undefined ? left({ kind: 'no-receipt' }) : right(found.receipt);
  }
}
