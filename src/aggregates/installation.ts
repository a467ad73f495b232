/** An add-on on this owner: which generation is current, what it is trusted as, and whether it should run (06:218-291). */
import { type Either, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { InstallationEvent } from '../events/catalogue/installation.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

export type { InstallationEvent } from '../events/catalogue/installation.js';

// ---- state ---------------------------------------------------------------------------------------------------

/** A published package; what `PackagePublished` says. */
export type Generation = Extract<InstallationEvent, { type: 'PackagePublished' }>['payload'];

export interface Installation {
  readonly status: 'absent' | 'installed' | 'uninstalled';
  readonly enabled: boolean;
  /** The highest generation ever published; a failed upgrade spends its number. */
  readonly lastGeneration: number;
  /** How many generations were ever installed; their packages are all kept. */
  readonly generations: number;
  /** The generation in use or, after an uninstall, the one whose data and identity are retained. */
  readonly current?: Generation;
  /** Published, not yet current. */
  readonly published?: Generation;
  /** RFC 3339; survives upgrades, not a reinstall. */
  readonly installedAt?: string;
}

const ABSENT: Installation = { status: 'absent', enabled: false, lastGeneration: 0, generations: 0 };

// ---- evolve --------------------------------------------------------------------------------------------------

function evolve(state: Installation, event: Recorded<InstallationEvent>): Installation {
  switch (event.type) {
    case 'PackagePublished':
      return {
        ...state,
        published: event.payload,
        lastGeneration: Math.max(state.lastGeneration, event.payload.generation),
      };
    case 'GenerationInstalled': {
      const { published, ...rest } = state;
      if (published?.generation !== event.payload.generation) return state;
      const installedAt = state.status === 'installed' ? (state.installedAt ?? event.at) : event.at;
      return { ...rest, status: 'installed', current: published, generations: state.generations + 1, installedAt };
    }
    case 'AddonEnabled':
      return { ...state, enabled: true };
    case 'AddonDisabled':
      return { ...state, enabled: false };
    case 'AddonUninstalled': {
      const { published, installedAt, ...rest } = state;
      return { ...rest, status: 'uninstalled', enabled: false };
    }
    default: {
      const never: never = event;
      return never;
    }
  }
}

// ---- commands ------------------------------------------------------------------------------------------------

export type InstallationCommand =
  /** `dataRetained`: the data directory holds something, so who it is trusted to must not change. */
  | {
      readonly type: 'publish';
      readonly purpose: 'install' | 'upgrade';
      readonly package: Omit<Generation, 'generation'>;
      readonly dataRetained: boolean;
    }
  | { readonly type: 'install'; readonly generation: number }
  | { readonly type: 'enable' }
  | { readonly type: 'disable' }
  | { readonly type: 'uninstall' };

// ---- decide --------------------------------------------------------------------------------------------------

const NOT_INSTALLED = refuse('denied', 'The add-on is not installed. Nothing changed.');

const IDENTITY_CHANGED = refuse(
  'identity_changed',
  'The package comes from another library, channel, verification or signer than the one this add-on is trusted as. Nothing changed. Install it from its own library.',
);

/**
 * True when both packages are trusted as the same thing: source, verification level and signer, and the channel
 * where both name one (13:44-48; decisions on the design, 7).
 */
export function sameIdentity(a: Omit<Generation, 'generation'>, b: Omit<Generation, 'generation'>): boolean {
  const sameChannel = a.channel === '' || b.channel === '' || a.channel === b.channel;
  return (
    a.sourceId === b.sourceId &&
    a.sourceIdentity === b.sourceIdentity &&
    a.verification === b.verification &&
    a.signer?.issuer === b.signer?.issuer &&
    a.signer?.identity === b.signer?.identity &&
    sameChannel
  );
}

type Decision = Either<Refusal, readonly InstallationEvent[]>;

function decidePublish(state: Installation, command: Extract<InstallationCommand, { type: 'publish' }>): Decision {
  const installed = state.status === 'installed';
  if (command.purpose === 'upgrade' && !installed) return left(NOT_INSTALLED);
  if (command.purpose === 'install' && installed)
    return left(refuse('denied', 'The add-on is already installed. Nothing changed. Upgrade it instead.'));
  const bound = installed || command.dataRetained;
  if (bound && state.current !== undefined && !sameIdentity(state.current, command.package))
    return left(IDENTITY_CHANGED);
  const generation = state.lastGeneration + 1;
  return right([{ type: 'PackagePublished', payload: { ...command.package, generation } }]);
}

function decide(state: Installation, command: InstallationCommand): Decision {
  const installed = state.status === 'installed';
  switch (command.type) {
    case 'publish':
      return decidePublish(state, command);
    case 'install':
      return state.published?.generation === command.generation
        ? right([{ type: 'GenerationInstalled', payload: { generation: command.generation } }])
        : left(refuse('denied', 'No package of this generation was published. Nothing changed.'));
    case 'enable':
      if (!installed) return left(NOT_INSTALLED);
      return right(state.enabled ? [] : [{ type: 'AddonEnabled', payload: {} }]);
    case 'disable':
      if (!installed) return left(NOT_INSTALLED);
      return right(state.enabled ? [{ type: 'AddonDisabled', payload: {} }] : []);
    case 'uninstall':
      return installed ? right([{ type: 'AddonUninstalled', payload: {} }]) : left(NOT_INSTALLED);
    default: {
      const never: never = command;
      return never;
    }
  }
}

export const installation: Decider<Installation, InstallationCommand, InstallationEvent> = {
  initial: ABSENT,
  decide,
  evolve,
};
