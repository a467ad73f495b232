/**
 * The main job as a person and a program would do it: add a library, install, turn on, create a resource, propose,
 * confirm, cancel another proposal, turn off, remove. It may be run again on the same root after any crash, with the
 * same ids; it remembers what was tried and what was acknowledged, outside of the server.
 */
import { join } from 'node:path';
import { askServer } from '../../src/cli/control/client.js';
import type { JsonObject } from '../../src/contract/json.js';
import { assert } from './harness.js';
import { clientOf, type Reply } from './server.js';

export const STEPS = [
  'library',
  'install',
  'enable',
  'create',
  'propose',
  'confirm',
  'propose-other',
  'cancel',
  'disable',
  'uninstall',
] as const;
export type Step = (typeof STEPS)[number];
export const AMOUNT = 5;

/** The server went away in the middle of a call. */
export class Gone extends Error {}

export interface ProposalView extends JsonObject {
  readonly id: string;
  readonly state: string;
  readonly digest: string;
}

export class MainJob {
  readonly tried = new Set<Step>();
  readonly acknowledged = new Set<Step>();
  /** Which attempt a step is at; a new id is taken only when the old one is recorded as failed or given up. */
  private readonly attempts = new Map<string, number>();
  resourceId = '';
  private client = clientOf('');

  constructor(
    readonly dataPath: string,
    readonly libraryUrl: string,
  ) {}

  /** Does the whole job, or these steps of it, with the ids of earlier runs. Rejects with `Gone` when the server dies. */
  async run(address: string, wanted: readonly Step[] = STEPS): Promise<void> {
    this.attach(address);
    const steps: Record<Step, () => Promise<void>> = {
      library: () => this.library(),
      install: () =>
        this.operation('install', (id) => this.lifecycle(id, 'install', { sourceId: 'mine', version: '1.0.0' })),
      enable: () => this.operation('enable', (id) => this.app('start', id)),
      create: () => this.create(),
      propose: async () => void (await this.propose(this.idOf('add'), AMOUNT)),
      confirm: () => this.confirm(),
      'propose-other': async () => void (await this.propose('drop-1', 1_000)),
      cancel: () => this.cancel(),
      disable: () => this.operation('disable', (id) => this.app('stop', id)),
      uninstall: () => this.operation('uninstall', (id) => this.lifecycle(id, 'uninstall', {})),
    };
    for (const step of wanted) {
      this.tried.add(step);
      await steps[step]();
      this.acknowledged.add(step);
    }
  }

  /** Speaks to this server from now on. */
  attach(address: string): void {
    this.client = clientOf(address);
  }

  /** The id of the attempt that counts. */
  idOf(name: string): string {
    return `${name}-${this.attempts.get(name) ?? 1}`;
  }

  /** Every lifecycle id used so far. */
  operationIds(): readonly string[] {
    return (['install', 'enable', 'disable', 'uninstall'] as const)
      .filter((step) => this.tried.has(step))
      .flatMap((step) => Array.from({ length: this.attempts.get(step) ?? 1 }, (_, index) => `${step}-${index + 1}`));
  }

  private async library(): Promise<void> {
    const { sources } = (await askOwner(this.dataPath, 'library.list', {})) as {
      readonly sources: readonly JsonObject[];
    };
    if (!sources.some(({ id }) => id === 'mine')) await addLibrary(this.dataPath, this.libraryUrl);
  }

  /** A lifecycle step under its id; an id that a crash made fail is given up for the next one. */
  private async operation(step: Step, send: (id: string) => Promise<Reply>): Promise<void> {
    const reply = await call(send(this.idOf(step)));
    if (reply.status === 200) return;
    const { state } = await this.status(this.idOf(step));
    assert.is(state, 'failed', `${this.idOf(step)} answered ${JSON.stringify(reply.body)}`);
    assert.not(this.acknowledged.has(step), `${step} had been acknowledged`);
    this.attempts.set(step, (this.attempts.get(step) ?? 1) + 1);
    const again = await call(send(this.idOf(step)));
    assert.is(again.status, 200, `${this.idOf(step)} answered ${JSON.stringify(again.body)}`);
  }

  /** What the owner recorded of an operation; `absent` when it never heard of it. */
  async status(operationId: string): Promise<{ readonly state: string }> {
    const asked = { operationId: 'ask-1', action: 'operation-status', arguments: { operationId } };
    const { status, body } = await call(this.client.dispatch<{ payload: { state: string } }>(asked));
    if (status === 404) return { state: 'absent' };
    assert.is(status, 200, JSON.stringify(body));
    return body.payload;
  }

  private lifecycle(operationId: string, action: string, args: JsonObject): Promise<Reply> {
    return this.client.dispatch({ addonId: 'counter', operationId, action, arguments: args });
  }

  private app(verb: 'start' | 'stop', operationId: string): Promise<Reply> {
    return this.client.post(`/api/addons/apps/counter/${verb}`, { operationId, generation: 1 });
  }

  private async create(): Promise<void> {
    const body = { addonId: 'counter', operationId: 'make-1', generation: 1, arguments: { name: 'Visitors' } };
    const made = await call(this.client.own<{ resourceId: string }>('/api/addons/resources', 'make-1', body));
    assert.ok(made.status === 201 || made.status === 200, JSON.stringify(made.body));
    assert.ok(this.resourceId === '' || this.resourceId === made.body.resourceId, 'a repeat makes no second resource');
    this.resourceId = made.body.resourceId;
  }

  private async propose(operationId: string, amount: number): Promise<ProposalView> {
    const change = { action: 'write', arguments: { tool: 'add', amount } };
    const body = { addonId: 'counter', resourceId: this.resourceId, operationId, generation: 1, ...change };
    const stored = await call(this.client.post<ProposalView>('/api/addons/proposals', body));
    assert.ok(stored.status === 201 || stored.status === 200, JSON.stringify(stored.body));
    return stored.body;
  }

  /** Confirms; what a crash left unknown for good is given up by the owner of the resource, and proposed anew. */
  private async confirm(): Promise<void> {
    const { digest } = await this.propose(this.idOf('add'), AMOUNT);
    const first = await this.decide('confirm', { digest });
    if (first.status === 200) return assert.is(first.body.state, 'applied', JSON.stringify(first.body));
    assert.is(this.acknowledged.has('confirm'), false, `it had been confirmed: ${JSON.stringify(first.body)}`);
    const given = await this.decide('resolve', { digest, reason: 'The server was killed.' });
    assert.is(given.body.state, 'abandoned-unknown', JSON.stringify([first.body, given.body]));
    this.attempts.set('add', (this.attempts.get('add') ?? 1) + 1);
    const anew = await this.propose(this.idOf('add'), AMOUNT);
    const second = await this.decide('confirm', { digest: anew.digest });
    assert.is(second.body.state, 'applied', JSON.stringify(second.body));
  }

  private decide(verb: 'confirm' | 'resolve', body: JsonObject): Promise<Reply<ProposalView>> {
    const id = this.idOf('add');
    return call(this.client.own<ProposalView>(`/api/addons/proposals/${id}/${verb}`, id, body));
  }

  private async cancel(): Promise<void> {
    const cancelled = await call(this.client.post('/api/addons/proposals/drop-1/cancel', {}));
    assert.is(cancelled.status, 200, JSON.stringify(cancelled.body));
    assert.is(cancelled.body.state, 'cancelled');
  }
}

/** Asks over the control socket, as the command line does, without the cost of a process. */
export async function askOwner(dataPath: string, command: string, args: JsonObject): Promise<JsonObject> {
  const answer = await askServer(join(dataPath, 'addons', 'runtime'), command, args);
  if (answer === undefined) throw new Gone('nobody listens on the control socket');
  if (answer._tag === 'Right') return answer.right as JsonObject;
  if (answer.left.refusal === 'outcome_unknown') throw new Gone(answer.left.message);
  throw new Error(answer.left.message);
}

export async function addLibrary(dataPath: string, url: string): Promise<void> {
  const policy = { requireSignature: false, allowLoopbackHTTP: true };
  const source = { id: 'mine', url, kind: 'addon', name: 'Mine', format: 'library', policy };
  await askOwner(dataPath, 'library.add', source);
}

/** A call whose connection was cut is told from one that was refused. */
export async function call<T>(reply: Promise<Reply<T>>): Promise<Reply<T>> {
  try {
    return await reply;
  } catch (error) {
    throw new Gone(`${error}: ${error instanceof Error ? error.cause : ''}`);
  }
}
