/**
 * The launches of one add-on. At most one launch is not known to have ended, nothing is launched while one is
 * uncertain, and a step that names another incarnation than the present one is refused (07:33-45, 66-75).
 */
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { ProcessEvent } from '../events/catalogue/process.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export type { ProcessEvent } from '../events/catalogue/process.js';

// ---- states --------------------------------------------------------------------------------------------------

interface World {
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** A launch that is not known to have ended. */
export interface Launch extends World {
  readonly incarnation: string;
  readonly generation: number;
  readonly executable: string;
  readonly dataDir: string;
}

/** What tells a process from every other one of the same world. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export type ProcessState =
  | { readonly phase: 'none' }
  | (Launch & { readonly phase: 'pending' })
  | (Launch & ProcessIdentity & { readonly phase: 'started' | 'ready' | 'draining' })
  | (Launch & Partial<ProcessIdentity> & { readonly phase: 'uncertain'; readonly reason: string })
  | {
      readonly phase: 'exited';
      readonly incarnation: string;
      readonly generation: number;
      readonly reason: string;
      readonly attemptsSpent: boolean;
    };

export type UnfinishedLaunch = Exclude<ProcessState, { phase: 'none' | 'exited' }>;

/** The launch that is not known to have ended, if there is one. */
export function unfinished(state: ProcessState): UnfinishedLaunch | undefined {
  return state.phase === 'none' || state.phase === 'exited' ? undefined : state;
}

// ---- evolve --------------------------------------------------------------------------------------------------

function evolve(state: ProcessState, event: Recorded<ProcessEvent>): ProcessState {
  if (event.type === 'LaunchPending') return { phase: 'pending', ...event.payload };
  if (event.type === 'AttemptBudgetSpent') return state.phase === 'exited' ? { ...state, attemptsSpent: true } : state;
  const launch = unfinished(state);
  if (launch === undefined) return state;
  switch (event.type) {
    case 'ProcessStarted': {
      const { pid, startTime, bootId, pidNamespace } = event.payload;
      return { ...launch, phase: 'started', pid, startTime, bootId, pidNamespace };
    }
    case 'ProcessReady':
      return launch.phase === 'started' ? { ...launch, phase: 'ready' } : state;
    case 'ProcessDraining':
      return launch.phase === 'started' || launch.phase === 'ready' ? { ...launch, phase: 'draining' } : state;
    case 'ProcessExited': {
      const { incarnation, generation } = launch;
      return { phase: 'exited', incarnation, generation, reason: event.payload.reason, attemptsSpent: false };
    }
    case 'LaunchUncertain':
      return { ...launch, phase: 'uncertain', reason: event.payload.reason };
    default: {
      const never: never = event;
      return never;
    }
  }
}

// ---- commands ------------------------------------------------------------------------------------------------

export type ProcessCommand =
  | ({ readonly type: 'launch' } & Launch)
  | ({ readonly type: 'started'; readonly incarnation: string } & ProcessIdentity & World)
  | { readonly type: 'ready'; readonly incarnation: string }
  | { readonly type: 'drain'; readonly incarnation: string }
  | {
      readonly type: 'exited';
      readonly incarnation: string;
      readonly reason: string;
      readonly code?: number;
      readonly signal?: string;
    }
  | { readonly type: 'uncertain'; readonly incarnation: string; readonly reason: string }
  | { readonly type: 'attempts-spent'; readonly incarnation: string };

// ---- decide --------------------------------------------------------------------------------------------------

type Decided = Either<Refusal, readonly ProcessEvent[]>;

const NOTHING: Decided = right([]);
const unavailable = (message: string): Decided => left(refuse('unavailable', message));
const event = (decided: ProcessEvent): Decided => right([decided]);

function decide(state: ProcessState, command: ProcessCommand): Decided {
  if (command.type === 'launch') return launch(state, command);
  if (state.phase === 'none' || state.incarnation !== command.incarnation)
    return unavailable('This launch is not the present one of its add-on. Nothing was recorded.');
  return state.phase === 'exited' ? afterExit(state, command) : step(state, command);
}

function launch(state: ProcessState, command: Launch): Decided {
  if (unfinished(state) !== undefined)
    return unavailable(
      'A previous process of this add-on is not known to have ended, so no other one is started beside it. Nothing was launched.',
    );
  if (state.phase === 'exited' && state.incarnation === command.incarnation)
    return unavailable('This incarnation was already used. Nothing was launched.');
  const { incarnation, generation, executable, dataDir, bootId, pidNamespace } = command;
  return event({
    type: 'LaunchPending',
    payload: { incarnation, generation, executable, dataDir, bootId, pidNamespace },
  });
}

type Step = Exclude<ProcessCommand, { type: 'launch' }>;

function afterExit(state: ProcessState & { phase: 'exited' }, command: Step): Decided {
  if (command.type === 'exited') return NOTHING;
  if (command.type !== 'attempts-spent')
    return unavailable('This launch was already recorded as ended. Nothing was recorded.');
  const { incarnation } = command;
  return state.attemptsSpent ? NOTHING : event({ type: 'AttemptBudgetSpent', payload: { incarnation } });
}

function step(state: UnfinishedLaunch, command: Step): Decided {
  const { incarnation } = command;
  const wrong = unavailable(
    `A launch that is ${state.phase} cannot take the step "${command.type}". Nothing was recorded.`,
  );
  switch (command.type) {
    case 'started': {
      if (state.phase !== 'pending') return wrong;
      const { pid, startTime, bootId, pidNamespace } = command;
      return event({ type: 'ProcessStarted', payload: { incarnation, pid, startTime, bootId, pidNamespace } });
    }
    case 'ready':
      return state.phase === 'started' ? event({ type: 'ProcessReady', payload: { incarnation } }) : wrong;
    case 'drain':
      if (state.phase === 'draining') return NOTHING;
      return state.phase === 'started' || state.phase === 'ready'
        ? event({ type: 'ProcessDraining', payload: { incarnation } })
        : wrong;
    case 'exited': {
      const { type, ...payload } = command;
      return event({ type: 'ProcessExited', payload });
    }
    case 'uncertain': {
      const { reason } = command;
      return state.phase === 'uncertain'
        ? NOTHING
        : event({ type: 'LaunchUncertain', payload: { incarnation, reason } });
    }
    case 'attempts-spent':
      return wrong;
    default: {
      const never: never = command;
      return never;
    }
  }
}

export const processDecider: Decider<ProcessState, ProcessCommand, ProcessEvent> = {
  initial: { phase: 'none' },
  decide,
  evolve,
};
