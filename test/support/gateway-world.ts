/** The gateway of changes over a journal in memory and an add-on double; it can be crashed and opened again. */

import { createHash } from 'node:crypto';
import type { OwnerContext } from '../../src/commands/context.js';
import type { Caller } from '../../src/commands/gateway.js';
import type { CatalogFetcher, Ids, Log, PackageStore } from '../../src/commands/ports.js';
import { createProposals, type Proposals } from '../../src/commands/proposals/index.js';
import { Store } from '../../src/commands/store.js';
import { LOCAL_OWNER } from '../../src/contract/actor.js';
import type { ProposalRequest, ProposalView, ResourceEntry } from '../../src/contract/api.js';
import type { Either } from '../../src/contract/fp.js';
import { DEFAULT_LIMITS } from '../../src/contract/limits.js';
import { hostProfile } from '../../src/contract/manifest.js';
import type { Manifest, ToolDefinition } from '../../src/contract/manifest-types.js';
import type { Refusal } from '../../src/contract/refusal.js';
import { errorOf } from '../../src/contract/refusal.js';
import { BatchingJournal } from '../../src/events/batching-journal.js';
import { MemoryStorage } from '../../src/events/memory-journal.js';
import type { Storage } from '../../src/events/storage.js';
import type { InstalledAddon } from '../../src/projections/installed.js';
import { KINDS } from '../../src/projections/kinds.js';
import { reconcileProposals } from '../../src/recovery/reconcile-proposals.js';
import { AddonDouble } from './addon-double.js';
import { assert } from './harness.js';
import { SimClock, settle } from './sim-clock.js';

const resourceId = { type: 'string' };
const rows = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } };
const tool = (name: string, kind: ToolDefinition['kind'], properties: object, required: string[]): ToolDefinition => ({
  name,
  kind,
  description: name,
  inputSchema: { type: 'object', properties, required } as unknown as ToolDefinition['inputSchema'],
});

export const TOOLS: readonly ToolDefinition[] = [
  tool('insert-rows', 'write', { resourceId, rows, note: { type: 'string' } }, ['resourceId', 'rows']),
  tool('alter-table', 'schema', { resourceId, add: { type: 'string' } }, ['resourceId', 'add']),
  tool('create-database', 'create', { name: { type: 'string', minLength: 1 } }, ['name']),
  tool('inspect', 'read', { resourceId }, ['resourceId']),
  tool('query', 'read', { resourceId, text: { type: 'string' } }, ['resourceId']),
  tool('my-things', 'read', {}, []),
  tool('resource-exists', 'read', { resourceId }, ['resourceId']),
  tool('run', 'action', { command: { type: 'string' } }, ['command']),
];

export function installedTables(change: Partial<InstalledAddon> = {}): InstalledAddon {
  const manifest = {
    schemaVersion: 1,
    id: 'tables',
    version: '1.0.0',
    raw: {},
    capabilities: {
      service: true,
      tools: TOOLS.map(({ name }) => name),
      toolDefinitions: TOOLS,
      adminTools: ['delete-database'],
      resources: { create: 'create-database', inspect: 'inspect', delete: 'delete-database', noun: 'database' },
      undo: false,
      actions: true,
    },
  } as unknown as Manifest;
  return {
    addonId: 'tables',
    version: '1.0.0',
    generation: 1,
    enabled: true,
    changing: false,
    directory: 'tables-1',
    manifest,
    installedAt: '2026-01-01T00:00:00.000Z',
    ...change,
  };
}

/** Unguessable enough for tests, and the same in each run. */
export class CountingIds implements Ids {
  private next = 0;
  bytes(length: number): Uint8Array {
    this.next += 1;
    const block = createHash('sha512').update(`id ${this.next}`).digest();
    return new Uint8Array(block.subarray(0, length));
  }
  hex(bytes: number): string {
    return Buffer.from(this.bytes(bytes)).toString('hex');
  }
}

export interface LoggedLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

const unused = <T>(): T =>
  new Proxy({} as object, {
    get: (_, name) => {
      throw new Error(`not used in this test: ${String(name)}`);
    },
  }) as T;

export const local = (subject?: string): Caller => ({
  actor: LOCAL_OWNER,
  via: { kind: 'local' },
  administrator: true,
  ...(subject === undefined ? {} : { surface: { subject } }),
});

export const person = (userId: string, subject?: string): Caller => ({
  actor: { userId, credentialId: `session-of-${userId}`, mode: 'named-user' },
  via: { kind: 'session' },
  administrator: false,
  ...(subject === undefined ? {} : { surface: { subject } }),
});

/** The same person by an API key: may propose and read, never confirm. */
export const keyOf = (userId: string, subject?: string): Caller => ({
  ...person(userId, subject),
  actor: { userId, credentialId: `key-of-${userId}`, mode: 'named-user' },
  via: { kind: 'key', name: 'script' },
});

export interface WorldOptions {
  readonly storage?: Storage;
  readonly addon?: AddonDouble;
  readonly clock?: SimClock;
  readonly ids?: CountingIds;
  readonly started?: boolean;
}

export class World {
  readonly log: LoggedLine[] = [];
  installed: InstalledAddon | undefined = installedTables();

  private constructor(
    readonly storage: Storage,
    readonly journal: BatchingJournal,
    readonly store: Store,
    readonly clock: SimClock,
    readonly ids: CountingIds,
    readonly addon: AddonDouble,
  ) {}

  proposals!: Proposals;

  static async open(options: WorldOptions = {}): Promise<World> {
    const clock = options.clock ?? new SimClock();
    const storage = options.storage ?? new MemoryStorage();
    const addon = options.addon ?? new AddonDouble(() => clock.now());
    const journal = new BatchingJournal(storage);
    const store = await Store.open(journal, clock, KINDS);
    const world = new World(storage, journal, store, clock, options.ids ?? new CountingIds(), addon);
    addon.forgetListeners();
    world.proposals = createProposals(world.context(), () => world.installed);
    if (options.started !== false) {
      await reconcileProposals(world.proposals);
      world.proposals.start();
    }
    return world;
  }

  context(): OwnerContext {
    const line = (level: string) => (fields: object, message: string) => void this.log.push({ level, fields, message });
    const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    return {
      store: this.store,
      clock: this.clock,
      ids: this.ids,
      log,
      runtimes: this.addon,
      packages: unused<PackageStore>(),
      catalog: unused<CatalogFetcher>(),
      limits: DEFAULT_LIMITS,
      host: hostProfile('linux', 'x64'),
      hostOps: () => ({ vocabulary: new Set<string>(), grants: [] }),
      dataRoot: '/nowhere',
    };
  }

  /** The owner dies here: its timers and promises lead nowhere; the storage and the add-on's data stay. */
  async restart(): Promise<World> {
    this.journal.fence('the process is gone');
    this.clock.stop();
    await settle();
    const { storage, addon, clock, ids } = this;
    const next = await World.open({ storage, addon, clock, ids, started: false });
    next.installed = this.installed;
    await reconcileProposals(next.proposals);
    next.proposals.start();
    return next;
  }

  events(stream?: string): readonly string[] {
    const types: string[] = [];
    for (const slice of this.journal.read({ from: 1 }))
      for (const event of slice) if (stream === undefined || event.stream === stream) types.push(event.type);
    return types;
  }

  /** A resource of this caller, made through the direct route. */
  async database(caller: Caller = local(), name = 'Books'): Promise<string> {
    const operationId = `make-${this.ids.hex(8)}`;
    const made = await this.createDatabase({ ...caller, surface: { subject: operationId } }, operationId, { name });
    return must(made).entry.resourceId;
  }

  createDatabase(
    caller: Caller,
    operationId: string,
    args: Record<string, string>,
    generation = 1,
  ): Promise<Either<Refusal, { created: boolean; entry: ResourceEntry & { operationId: string } }>> {
    const value = { addonId: 'tables', operationId, generation, arguments: args };
    return this.proposals.createResource(caller, { value, rawArguments: JSON.stringify(args) });
  }

  propose(caller: Caller, request: ProposalRequest, rawArguments = JSON.stringify(request.arguments)) {
    return this.proposals.propose(caller, { value: request, rawArguments });
  }

  /** Proposes a row insertion and answers the stored view. */
  async pending(resource: string, operationId: string, caller: Caller = local()): Promise<ProposalView> {
    return must(await this.propose(caller, insertion(resource, operationId))).proposal;
  }

  confirm(view: ProposalView, caller: Caller = local(view.id)) {
    return this.proposals.confirm(caller, view.id, { digest: view.digest });
  }
}

export const insertion = (
  resourceId: string,
  operationId: string,
  args: object = { rows: [{ name: 'Emma' }] },
): ProposalRequest => ({
  addonId: 'tables',
  resourceId,
  operationId,
  generation: 1,
  action: 'write',
  arguments: { tool: 'insert-rows', ...args } as ProposalRequest['arguments'],
});

export const creation = (operationId: string, name = 'Books'): ProposalRequest => ({
  addonId: 'tables',
  operationId,
  generation: 1,
  action: 'create',
  arguments: { tool: 'create-database', name },
});

/** The value of a right, or a failure that says the refusal. */
export function must<A>(result: Either<Refusal, A>): A {
  if (result._tag === 'Right') return result.right;
  throw new Error(`refused: ${result.left.refusal}: ${result.left.message}`);
}

/** The refusal of a left, and that it is this one. */
export function refused<A>(result: Either<Refusal, A>, code: Refusal['refusal'], status?: number): Refusal {
  if (result._tag === 'Right')
    throw new Error(`not refused with ${code}: ${JSON.stringify(result.right).slice(0, 200)}`);
  assert.is(result.left.refusal, code, result.left.message);
  if (status !== undefined) assert.is(errorOf(result.left).status, status);
  return result.left;
}

export { settle };

/** A world with a database and one proposal on it, and how many applies there were since. */
export async function pendingWorld() {
  const world = await World.open();
  const database = await world.database();
  const view = await world.pending(database, 'op-1');
  const applies = world.addon.applyCalls.length;
  return { world, database, view, applies: () => world.addon.applyCalls.length - applies };
}
