/** The composition root: opens the owner root and everything that stands on it, in the order recovery needs. */
import { join } from 'node:path';
import { isKnown } from '../aggregates/source.js';
import { Backends } from '../commands/backends/index.js';
import type { OwnerContext } from '../commands/context.js';
import type { OwnerGateway } from '../commands/gateway.js';
import { FURTHER_DEFAULTS, officialLibrary } from '../commands/library/shipped.js';
import { createLifecycle } from '../commands/lifecycle/index.js';
import type { Log } from '../commands/ports.js';
import { ProcessLedger } from '../commands/process-ledger.js';
import { createProposals } from '../commands/proposals/index.js';
import { Store } from '../commands/store.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type HostGrants, hostOpPolicies } from '../contract/host-grants.js';
import { HOST_OPERATIONS } from '../contract/host-vocabulary.js';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import { hostProfile } from '../contract/manifest.js';
import { guardJournal } from '../events/inspect/verify.js';
import { openLmdbJournal } from '../events/lmdb/open.js';
import { type BuiltinLibrary, startBuiltinLibrary } from '../packages/builtin-library.js';
import { type ConfiguredCredentials, NO_CREDENTIALS, readCredentialsFile } from '../packages/credentials-file.js';
import { createBackends, createPackages } from '../packages/packages.js';
import { publicTrust } from '../packages/signatures/public-trust.js';
import { createSignatureCheck, type TrustSource } from '../packages/signatures/signature-check.js';
import { readTrustFile } from '../packages/signatures/trust-file.js';
import { libc } from '../process/libc.js';
import { movedReason, type OwnerRoot, openOwnerRoot } from '../process/owner-root.js';
import { Supervisor } from '../process/supervisor.js';
import { findInstalled } from '../projections/installed.js';
import { ownerKind } from '../projections/kinds/owner.js';
import { sourceKind } from '../projections/kinds/source.js';
import { KINDS } from '../projections/kinds.js';
import { reconcileLifecycle, startEnabled } from '../recovery/reconcile-lifecycle.js';
import { reconcileProposals } from '../recovery/reconcile-proposals.js';
import { type BackendOptions, backendsDirectory, hostCapabilities } from './backends.js';
import type { ControlCommands } from './control/protocol.js';
import { createGateway } from './gateway.js';
import { createHostBroker } from './host-broker.js';
import { journalControl } from './journal-control.js';
import { libraryControl } from './library-control.js';
import { releaseTag } from './release.js';
import { systemClock, systemIds } from './system.js';

/** A single node owns its storage itself; the names stand in the identity file (03, "combined"). */
export const OWNER = { ownerId: 'combined', storageId: 'local' };
const LIBRARY_DIR = new URL('../library', import.meta.url).pathname;

const UNCHECKED = 'the journal could not be checked; run `castellan journal verify`';

export interface OwnerOptions {
  readonly dataPath: string;
  readonly log: Log;
  readonly officialLibrary: boolean;
  /** Which host operations the administrator grants; decided before the owner opens, for its whole life. */
  readonly hostGrants: HostGrants;
  /** Whether the defaults are used as long as nobody switched them. */
  readonly officialLibraries: boolean;
  readonly backends: BackendOptions;
  /** The operator's file of credentials for libraries and registries. */
  readonly credentialsPath?: string;
  /** The operator's trust root for signatures; without it, that of the public Sigstore counts. */
  readonly trustedRootPath?: string;
  /** The version of the program, for the journal. */
  readonly build: string;
}

export interface OpenOwner {
  readonly gateway: OwnerGateway;
  readonly commands: ControlCommands;
  readonly runtimeDir: string;
  /** Settles what was in flight, then starts add-ons, libraries and timers. Rejects when the owner must not serve. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Left says, for the operator, why the owner did not open; nothing was changed then. */
export async function openOwner(options: OwnerOptions): Promise<Either<string, OpenOwner>> {
  const credentials = await credentialsOf(options);
  if (isLeft(credentials)) return credentials;
  const trust = options.trustedRootPath === undefined ? right(undefined) : await readTrustFile(options.trustedRootPath);
  if (isLeft(trust)) return trust;
  const root = openOwnerRoot({ dataPath: options.dataPath, ...OWNER });
  if (isLeft(root)) return left(root.left.message);
  const opened = await openStore(root.right, options);
  if (isLeft(opened)) {
    root.right.release();
    return opened;
  }
  return right(await compose(root.right, opened.right, credentials.right, trust.right, options));
}

const credentialsOf = async ({ credentialsPath }: OwnerOptions): Promise<Either<string, ConfiguredCredentials>> =>
  credentialsPath === undefined ? right(NO_CREDENTIALS) : readCredentialsFile(credentialsPath, process.env);

async function openStore(root: OwnerRoot, { log, build }: OwnerOptions): Promise<Either<string, Store>> {
  const journal = await openLmdbJournal(root.folder('journal'), { onWarning: (message) => log.warn({}, message) });
  if (isLeft(journal)) return left(journal.left.message);
  journal.right.onFenced((reason) =>
    log.error({ reason }, 'the journal is fenced; no command is taken until a restart'),
  );
  const store = await Store.open(journal.right, systemClock, KINDS);
  const epoch = nextEpoch(store, build);
  if (!isLeft(epoch)) return right(store);
  await journal.right.close();
  return left(epoch.left.message);
}

/** Refuses a journal of another owner or mode; a command that only borrows the owner begins no epoch of its own. */
const nextEpoch = (store: Store, build: string) =>
  store.decide(ownerKind, '', { kind: 'start-epoch', ...OWNER, mode: 'local-owner', build });

async function compose(
  root: OwnerRoot,
  store: Store,
  credentials: ConfiguredCredentials,
  trust: TrustSource | undefined,
  options: OwnerOptions,
): Promise<OpenOwner> {
  const { log } = options;
  const host = hostProfile(process.platform, process.arch);
  const network = {
    host,
    clock: systemClock,
    ids: systemIds,
    log,
    credentials: credentials.libraries,
    registries: credentials.registries,
    syncFileSystem: (fd: number) => libc().syncFileSystem(fd),
    signatures: createSignatureCheck(
      trust ?? publicTrust({ cachePath: join(root.folder('metadata'), 'sigstore'), clock: systemClock, log }),
    ),
  };
  const packages = createPackages({ root: root.folder('packages'), ...network });
  const ledger = new ProcessLedger(store);
  const withheld = movedReason(root);
  if (withheld !== undefined) log.error({}, withheld);
  const hostOps = hostOpPolicies(HOST_OPERATIONS, options.hostGrants);
  const hostBroker = createHostBroker(hostOps, log);
  const supervised = { ledger, host: hostBroker, clock: systemClock, ids: systemIds, log, limits: DEFAULT_LIMITS };
  const context: OwnerContext = {
    store,
    clock: systemClock,
    ids: systemIds,
    log,
    runtimes: new Supervisor(withheld === undefined ? supervised : { ...supervised, withheld }),
    packages: packages.store,
    catalog: packages.catalog,
    limits: DEFAULT_LIMITS,
    host,
    hostOps,
    dataRoot: root.folder('data'),
  };
  const first = store.ahead.get(ownerKind, '').epoch === 0;
  // After the first start the source itself says whether there is an official library; the flag counts no more (04:70-75).
  const known = isKnown(store.ahead.get(sourceKind, 'addon-official'));
  const wanted = known || (first && options.officialLibrary);
  const tag = releaseTag();
  const builtin = wanted && tag === undefined ? await builtinLibrary(log) : undefined;
  const official = wanted ? officialLibrary(tag, builtin?.url) : undefined;
  const lifecycle = createLifecycle(context, {
    administrators: async (caller) => right(caller.administrator),
    shipped: [...(official === undefined ? [] : [official]), ...FURTHER_DEFAULTS],
    credentials: credentials.references,
    officialLibraries: options.officialLibraries,
  });
  const proposals = createProposals(context, findInstalled);
  const backendStore = createBackends({
    root: backendsDirectory(options.backends, options.dataPath),
    maxBytes: options.backends.maxBytes,
    ...network,
  });
  const backends = new Backends({
    library: lifecycle.library,
    store: backendStore,
    ids: systemIds,
    log,
    host,
    capabilities: hostCapabilities(process.env),
    requireIntegrity: options.backends.requireIntegrity,
    admit: lifecycle.admitAdministrator,
  });
  const verifying = new AbortController();
  let guard: Promise<unknown> = Promise.resolve();
  return {
    gateway: createGateway(store, lifecycle, proposals, backends),
    commands: { ...libraryControl(lifecycle), ...journalControl(store) },
    runtimeDir: root.folder('runtime'),
    start: async () => {
      const epoch = nextEpoch(store, options.build);
      const sources = lifecycle.library.sources.startChanges(first);
      if (isLeft(epoch)) throw new Error(epoch.left.message);
      if (isLeft(sources)) throw new Error(sources.left.message);
      // In one commit: a first start that is cut off is a first start again.
      const begun = await store.commit({ changes: [epoch.right, ...sources.right] });
      if (isLeft(begun)) throw new Error(begun.left.message);
      const settled = await reconcileLifecycle(lifecycle);
      if (isLeft(settled)) throw new Error(settled.left.message);
      await reconcileProposals(proposals);
      const swept = await backendStore.sweep();
      if (isLeft(swept)) log.warn({ reason: swept.left.message }, 'the backends directory could not be put in order');
      proposals.start();
      // Nobody waits for these two, and a fault in one of them must not end the server.
      lifecycle.openLibrary().catch((error: unknown) => log.error({ err: error }, 'libraries could not be read'));
      startEnabled(lifecycle).catch((error: unknown) => log.error({ err: error }, 'enabled add-ons were not started'));
      // A spawn blocks the loop, so the check begins when the server already answers.
      guard = new Promise((resume) => setImmediate(resume))
        .then(() => guardJournal(root.folder('journal'), store.journal, verifying.signal))
        .then((found) => {
          if (!found.ok && found.inconclusive === true && !verifying.signal.aborted)
            log.error({ reason: found.reason }, UNCHECKED);
        })
        .catch((error: unknown) => log.error({ err: error }, UNCHECKED));
    },
    close: async () => {
      verifying.abort();
      const step = stepOf(log);
      // Processes are withdrawn first: an operation that waits for one to get ready would hold the end up.
      await Promise.all([
        step('add-on processes', () => endProcesses(context)),
        step('operations', () => lifecycle.shutdown()),
        step('backends', () => backends.close()),
      ]);
      await step('proposals', () => proposals.close());
      await step('the check of the journal', () => guard);
      await step('the built-in library', async () => builtin?.close());
      await step('the snapshot', () => store.snapshot());
      await step('the journal', () => store.journal.close());
      root.release();
    },
  };
}

async function endProcesses({ runtimes, log }: OwnerContext): Promise<void> {
  const ended = await runtimes.shutdown();
  if (isLeft(ended)) log.error({ reason: ended.left.reason }, 'an add-on process could not be confirmed gone');
}

/** Runs one step of the end; a fault in it is logged, and the steps behind it run all the same. */
const stepOf = (log: Log) => async (what: string, run: () => Promise<unknown>) => {
  try {
    await run();
  } catch (error) {
    log.error({ err: error, what }, 'a step of the shutdown failed');
  }
};

/** The library that ships with this build; a build without one says so and goes on. */
async function builtinLibrary(log: Log): Promise<BuiltinLibrary | undefined> {
  const started = await startBuiltinLibrary(LIBRARY_DIR);
  if (!isLeft(started)) return started.right;
  log.warn({ reason: started.left }, 'the built-in library is not served');
  return undefined;
}
