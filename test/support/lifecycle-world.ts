/**
 * An owner's lifecycle over a journal in memory, with doubles for processes, packages and libraries.
 *
 * Fault model: the journal storage can stop at the n-th commit, before or after the bytes are kept, and never answer
 * again (a crash), or fail it (a fence); a library, a stage, a publication, a data directory and a start can each
 * refuse, and a start can hang. What survives a crash: the bytes of the journal and the published packages. Processes
 * and stages do not.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdminCheck } from '../../src/commands/administrators.js';
import type { OwnerContext } from '../../src/commands/context.js';
import type { Caller } from '../../src/commands/gateway.js';
import { createLifecycle, type Lifecycle, type LifecycleOptions } from '../../src/commands/lifecycle/index.js';
import { Store } from '../../src/commands/store.js';
import { LOCAL_OWNER } from '../../src/contract/actor.js';
import type { DispatchResult, OperationStatus, Release } from '../../src/contract/api.js';
import { type Either, isLeft, right } from '../../src/contract/fp.js';
import { type HostGrants, hostOpPolicies, NO_GRANTS } from '../../src/contract/host-grants.js';
import { HOST_OPERATIONS } from '../../src/contract/host-vocabulary.js';
import type { Json, JsonObject } from '../../src/contract/json.js';
import { DEFAULT_LIMITS } from '../../src/contract/limits.js';
import { hostProfile } from '../../src/contract/manifest.js';
import type { Refusal } from '../../src/contract/refusal.js';
import { BatchingJournal } from '../../src/events/batching-journal.js';
import { KINDS } from '../../src/projections/kinds.js';
import { reconcileLifecycle } from '../../src/recovery/reconcile-lifecycle.js';
import { FaultyStorage, TestCatalog, TestClock, TestPackages, TestRuntimes } from './lifecycle-doubles.js';

export { DIGEST, TestClock, testManifest, testRelease, until } from './lifecycle-doubles.js';

export const ADMIN: Caller = { actor: LOCAL_OWNER, via: { kind: 'local' }, administrator: true };
export const OTHER_ADMIN: Caller = {
  actor: { userId: 'other', credentialId: 'other', mode: 'named-user' },
  via: { kind: 'session' },
  administrator: true,
};
export const READER: Caller = {
  actor: { userId: 'reader', credentialId: 'reader', mode: 'named-user' },
  via: { kind: 'session' },
  administrator: false,
};

export interface Seen {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export class World {
  readonly storage = new FaultyStorage();
  readonly clock = new TestClock();
  readonly packages = new TestPackages();
  readonly catalog = new TestCatalog();
  readonly seen: Seen[] = [];
  readonly dataRoot = mkdtempSync(join(tmpdir(), 'castellan-lifecycle-'));
  administrators: AdminCheck = async (caller) => right(caller.administrator);
  options: Partial<LifecycleOptions> = {};
  /** Which host operations are granted; a boot takes it over. */
  grants: HostGrants = NO_GRANTS;
  runtimes = new TestRuntimes();
  recovered: () => Promise<void> = async () => undefined;
  store!: Store;
  lifecycle!: Lifecycle;
  private serial = 0;

  static async open(prepare: (world: World) => void = () => undefined): Promise<World> {
    const world = new World();
    prepare(world);
    await world.boot();
    return world;
  }

  /** A process of the owner: journal, store, lifecycle, reconciled. Nothing of the one before is heard of again. */
  async boot(): Promise<Either<Refusal, void>> {
    this.storage.survive();
    this.runtimes = Object.assign(new TestRuntimes(), { broken: this.runtimes.broken, recovered: this.recovered });
    const journal = new BatchingJournal(this.storage);
    this.store = await Store.open(journal, this.clock, KINDS);
    this.lifecycle = createLifecycle(this.context(), {
      administrators: (caller) => this.administrators(caller),
      ...this.options,
    });
    return reconcileLifecycle(this.lifecycle);
  }

  context(): OwnerContext {
    const log = (level: string) => (fields: object, message: string) => void this.seen.push({ level, fields, message });
    return {
      store: this.store,
      clock: this.clock,
      ids: { hex: (n) => (++this.serial).toString(16).padStart(n * 2, '0'), bytes: (n) => new Uint8Array(n) },
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      runtimes: this.runtimes,
      packages: this.packages,
      catalog: this.catalog,
      limits: DEFAULT_LIMITS,
      host: hostProfile('linux', 'x64'),
      hostOps: hostOpPolicies(HOST_OPERATIONS, this.grants),
      dataRoot: this.dataRoot,
    };
  }

  /** Adds the library `lib` (or another) with these releases. */
  async library(releases: readonly Release[], id = 'lib'): Promise<void> {
    this.catalog.indexes.set(id, releases);
    if (this.lifecycle.library.find(id) !== undefined) return;
    const settings = {
      name: id,
      url: `https://${id}.test/index.yaml`,
      format: 'library' as const,
      policy: { requireSignature: false },
    };
    must(await this.lifecycle.library.add({ kind: 'addon', id, settings, enabled: true }));
  }

  dispatch(
    action: string,
    given: { addonId?: string; operationId?: string; generation?: number; args?: Json; resourceId?: string } = {},
    caller: Caller = ADMIN,
    respondAsync = false,
  ): Promise<Either<Refusal, DispatchResult>> {
    const { addonId = '', operationId = '', generation = 0, args = {}, resourceId } = given;
    const request = { addonId, operationId, generation, action, arguments: args as JsonObject };
    const value = resourceId === undefined ? request : { ...request, resourceId };
    return this.lifecycle.dispatch(caller, { value, rawArguments: JSON.stringify(args) }, { respondAsync });
  }

  /** A lifecycle action on `demo`; the status, or the code of the refusal. */
  async act(action: string, operationId: string, args: Json = {}, addonId = 'demo'): Promise<OperationStatus | string> {
    const done = await this.dispatch(action, { addonId, operationId, args });
    return isLeft(done) ? done.left.refusal : (done.right.payload as unknown as OperationStatus);
  }

  install(operationId: string, version = '1.0.0', addonId = 'demo'): Promise<OperationStatus | string> {
    return this.act('install', operationId, { sourceId: 'lib', version }, addonId);
  }

  async status(operationId: string, caller: Caller = ADMIN): Promise<string> {
    const status = await this.lifecycle.operationStatus(caller, operationId);
    return isLeft(status) ? status.left.refusal : status.right.state;
  }

  close(): void {
    rmSync(this.dataRoot, { recursive: true, force: true });
  }
}

/** The value of a right; a left fails the test with its message. */
export function must<A>(result: Either<Refusal, A>): A {
  if (isLeft(result)) throw new Error(`${result.left.refusal}: ${result.left.message}`);
  return result.right;
}

export const codeOf = (result: Either<Refusal, unknown>): string => (isLeft(result) ? result.left.refusal : 'right');
