/** Runs the processes of all add-ons of one owner (07, "Managed runtime"). */
import { closeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type {
  Clock,
  HostBroker,
  Ids,
  LaunchLedger,
  LaunchSpec,
  Log,
  Observation,
  RuntimeClient,
  Runtimes,
} from '../commands/ports.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import type { Limits } from '../contract/limits.js';
import { type ControlGroups, openControlGroups } from './cgroups.js';
import { Deadlines, holdOpen } from './deadlines.js';
import { Fence } from './fence.js';
import type { Finding } from './finding.js';
import { guarded } from './guarded-ledger.js';
import type { Deps } from './launch.js';
import { type Libc, libc } from './libc.js';
import { Places } from './places.js';
import type { Proc } from './proc.js';
import { proc } from './proc.js';
import { recoverLaunches } from './recovery.js';
import type { Failure } from './run.js';
import { defaultSettings, type SupervisorSettings } from './settings.js';
import { Slot } from './slot.js';
import { UsageMeter } from './usage.js';

export interface SupervisorOptions {
  readonly ledger: LaunchLedger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
  /** Why no add-on may be started at all, for administrators: the storage was moved, for example. */
  readonly withheld?: string;
  /** Times that differ from the defaults of the chapter, for tests. */
  readonly settings?: Partial<Omit<SupervisorSettings, 'limits'>>;
  /** Decides the calls that add-ons make to the host; without it none of them gets the channel (07:218-219). */
  readonly host?: HostBroker;
  readonly libc?: () => Libc;
  readonly proc?: Proc;
  readonly cgroups?: () => ControlGroups | undefined;
  readonly monotonic?: () => number;
}

type Outcome = Either<Failure, void>;

/** Earlier processes that see the end of their owner are gone by then. */
const SETTLE_MS = 250;
const SETTLING = 'its earlier process is still being ended';

export class Supervisor implements Runtimes {
  private readonly slots = new Map<string, Slot>();
  private readonly listeners: ((addonId: string) => void)[] = [];
  private readonly deps: Deps;
  private readonly places: Places;
  /** Add-ons whose earlier process could not be accounted for, with what to check. */
  private readonly blocked = new Map<string, string>();
  /** Add-ons whose earlier process is being ended; nothing of theirs is started before that is over. */
  private readonly settling = new Map<string, Promise<void>>();
  private recovered = false;
  private closing = false;
  private readonly withheld: string | undefined;

  constructor(options: SupervisorOptions) {
    const { clock, ids, log, limits } = options;
    const monotonic = options.monotonic ?? (() => performance.now());
    const settings = { ...defaultSettings(limits), ...options.settings };
    this.deps = {
      ledger: guarded(options.ledger),
      clock,
      ids,
      log,
      settings,
      deadlines: new Deadlines(clock, monotonic),
      fence: new Fence(),
      libc: options.libc ?? libc,
      proc: options.proc ?? proc,
      usage: new UsageMeter(monotonic),
      cgroups: once(options.cgroups ?? openControlGroups),
      ...(options.host === undefined ? {} : { host: options.host }),
    };
    this.withheld = options.withheld;
    this.places = new Places(clock, settings.launches, settings.launchPlaceMs);
  }

  async recover(): Promise<Outcome> {
    const usable = this.probe();
    if (isLeft(usable)) return usable;
    // The launches of this owner are unfinished too; a second look would take them for those of a dead one.
    if (this.recovered) return this.accounted();
    const { ledger, clock, deadlines, settings } = this.deps;
    const { shutdownTimeoutMs } = settings.limits;
    const found = recoverLaunches({
      ledger,
      clock,
      deadlines,
      shutdownTimeoutMs,
      libc: this.deps.libc(),
      proc: this.deps.proc,
    });
    for (const [addonId, finding] of found)
      this.settling.set(
        addonId,
        finding.then((settled) => this.settled(addonId, settled)),
      );
    this.recovered = true;
    // One that ignores its end holds up itself alone; the others are accounted for within this time.
    await deadlines.within(SETTLE_MS, Promise.all(this.settling.values()), undefined);
    return this.accounted();
  }

  private settled(addonId: string, finding: Finding): void {
    this.settling.delete(addonId);
    if (finding.kind !== 'gone') this.blocked.set(addonId, words(addonId, finding));
    const { log } = this.deps;
    if (finding.kind === 'gone') log.info({ addonId, ...finding }, 'earlier add-on process settled');
    else log.error({ addonId, ...finding }, 'an earlier add-on process may still run');
    this.changed(addonId);
  }

  private accounted(): Outcome {
    return this.blocked.size === 0 ? right(undefined) : left({ reason: [...this.blocked.values()].join(' ') });
  }

  async start(spec: LaunchSpec): Promise<Outcome> {
    const settling = this.settling.get(spec.addonId);
    if (settling === undefined) return this.startNow(spec);
    const { readinessMs, limits } = this.deps.settings;
    const longest = readinessMs + 2 * limits.shutdownTimeoutMs;
    const late = left({ reason: SETTLING });
    return this.deps.deadlines.within(
      longest,
      settling.then(() => this.startNow(spec)),
      late,
    );
  }

  private async startNow(spec: LaunchSpec): Promise<Outcome> {
    const refused = this.refusal(spec.addonId);
    return refused === undefined ? this.slot(spec.addonId).start(spec) : left({ reason: refused });
  }

  async stop(addonId: string): Promise<Outcome> {
    const settling = this.settling.get(addonId);
    // A stop withdraws in the turn in which it is asked for.
    if (settling !== undefined) await settling;
    const blocked = this.blocked.get(addonId);
    if (blocked !== undefined) return left({ reason: blocked });
    return this.slots.get(addonId)?.stop() ?? right(undefined);
  }

  current(addonId: string, generation: number): Either<Failure, RuntimeClient> {
    const slot = this.slots.get(addonId);
    return slot === undefined
      ? left({ reason: this.blocked.get(addonId) ?? (this.settling.has(addonId) ? SETTLING : 'it is not running') })
      : slot.current(generation);
  }

  observe(addonId: string): Observation {
    const blocked = this.blocked.get(addonId);
    if (blocked !== undefined) return { state: 'failed', restarts: 0, reason: blocked };
    if (this.settling.has(addonId)) return { state: 'starting', restarts: 0, reason: SETTLING };
    return this.slots.get(addonId)?.observe() ?? { state: 'stopped', restarts: 0 };
  }

  /** The last lines the add-on wrote, oldest first; at most 200 of at most 4096 bytes. */
  log(addonId: string): readonly string[] {
    return this.slots.get(addonId)?.sink.lines() ?? [];
  }

  use(addonId: string): ReturnType<Runtimes['use']> {
    return this.slots.get(addonId)?.use() ?? { heldBy: 'rlimit' };
  }

  limitsChanged(addonId: string): void {
    this.slots.get(addonId)?.limitsChanged();
  }

  onChange(listener: (addonId: string) => void): void {
    this.listeners.push(listener);
  }

  /** Withdraws every add-on before it waits for any; may be repeated, and then joins what is still ending. */
  async shutdown(): Promise<Outcome> {
    this.closing = true;
    const letGo = holdOpen();
    try {
      const slots = [...this.slots.values()];
      for (const slot of slots) slot.withdraw();
      const [outcomes] = await Promise.all([
        Promise.all(slots.map((slot) => slot.stop())),
        Promise.all(this.settling.values()),
      ]);
      const reasons = new Set(outcomes.filter(isLeft).map((outcome) => outcome.left.reason));
      return reasons.size === 0 ? right(undefined) : left({ reason: [...reasons].join(' ') });
    } finally {
      letGo();
    }
  }

  /** Why nothing may be started for this add-on now. */
  private refusal(addonId: string): string | undefined {
    if (this.closing) return 'The server is shutting down.';
    if (!this.recovered) return 'Earlier add-on processes have not been accounted for yet.';
    return this.withheld ?? this.deps.fence.reason() ?? this.blocked.get(addonId);
  }

  /** Refuses a kernel on which a process could not be told from another one (07:41-43). */
  private probe(): Outcome {
    try {
      const c = this.deps.libc();
      this.deps.proc.world();
      if (this.deps.proc.startTime(process.pid) === undefined) throw new Error('/proc does not show this process');
      const handle = c.openProcess(process.pid);
      if (handle === undefined) throw new Error('pidfd_open does not find this process');
      closeSync(handle);
      return right(undefined);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return left({
        reason: `This system cannot identify processes safely (${why}), so no add-on is started. Linux 5.11 or later with a readable /proc is needed.`,
      });
    }
  }

  private slot(addonId: string): Slot {
    const found = this.slots.get(addonId);
    if (found !== undefined) return found;
    const slot = new Slot(addonId, this.deps, this.places, () => this.changed(addonId));
    this.slots.set(addonId, slot);
    return slot;
  }

  private changed(addonId: string): void {
    for (const listener of this.listeners) {
      try {
        listener(addonId);
      } catch (fault) {
        this.deps.log.error({ addonId, fault: String(fault) }, 'a listener for process changes failed');
      }
    }
  }
}

/** Asked for when the first limit is set, and then never again: the answer moved this process into a group of its own. */
function once<A>(open: () => A): () => A {
  let opened: { readonly it: A } | undefined;
  return () => {
    opened ??= { it: open() };
    return opened.it;
  };
}

function words(addonId: string, finding: Finding): string {
  return finding.kind === 'unrecorded'
    ? `The earlier process of ${addonId} has ended, but that could not be recorded: ${finding.reason} It is not started. Restart the server when the storage works again.`
    : `An earlier process of ${addonId} may still run: ${finding.reason}. It is not started. Look for processes that run in its data directory (for example with ps and ls -l /proc/PID/cwd), end them, and restart the server.`;
}
