/** What a proposal would do and who asks for it, in the host's own words; names that others chose are kept apart. */
import type { ProposalState, ProposalView } from '../../../src/contract/api.ts';
import type { Tone } from '../parts/chip.tsx';
import type { IconName } from '../parts/icons.tsx';

type Via = ProposalView['via'];

const WAYS: Readonly<Record<Via['kind'], { readonly named: string; readonly plain: string }>> = {
  session: { named: 'a browser session named', plain: 'a browser session' },
  key: { named: 'a program with the access key named', plain: 'a program with an access key' },
  mcp: { named: 'a connected AI program that calls itself', plain: 'a connected AI program' },
  chat: { named: 'the chat', plain: 'a chat' },
  local: { named: 'a program without sign-in that calls itself', plain: 'a program without sign-in' },
};

/** The way a proposal came, and the name that goes with it, which the other side may have chosen. */
export function wayOf(via: Via): { readonly words: string; readonly name: string | undefined } {
  const way = WAYS[via.kind] ?? WAYS.local;
  return via.name === undefined || via.name === ''
    ? { words: way.plain, name: undefined }
    : { words: way.named, name: via.name };
}

/** The owner of a server without sign-in has an id and no name of its own. */
const LOCAL_OWNER = 'local-owner';
export const personOf = (userId: string, displayName?: string): string =>
  displayName ?? (userId === LOCAL_OWNER ? 'Local owner' : userId);

/** `Change data in`, and the object it is done to. */
export function deedOf(view: ProposalView, resourceName: string | undefined): { verb: string; object: string } {
  if (view.action === 'create') return { verb: 'Create', object: nameToCreate(view) ?? view.resourceId };
  const object = resourceName ?? view.resourceId;
  return { verb: view.action === 'schema' ? 'Change the structure of' : 'Change data in', object };
}

/** The name that the owner put into the sample of a creation, never the add-on (10, "Creating a resource"). */
function nameToCreate(view: ProposalView): string | undefined {
  const [first] = view.effects.sample;
  const name = typeof first === 'object' && first !== null ? (first as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}

export const STATES: Readonly<
  Record<ProposalState, { readonly word: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  pending: { word: 'Waiting', tone: 'accent', icon: 'clock' },
  executing: { word: 'Being applied', tone: 'warn', icon: 'refresh' },
  applied: { word: 'Applied', tone: 'good', icon: 'check' },
  rejected: { word: 'Rejected', tone: 'bad', icon: 'cross' },
  cancelled: { word: 'Cancelled', tone: 'quiet', icon: 'stop' },
  expired: { word: 'Expired', tone: 'quiet', icon: 'clock' },
  'outcome-unknown': { word: 'Outcome unknown', tone: 'warn', icon: 'help' },
  'abandoned-unknown': { word: 'No longer awaited', tone: 'warn', icon: 'help' },
};

/** Confirmed, and what became of it is not known for good. */
const isUnresolved = ({ state }: ProposalView): boolean =>
  state === 'executing' || state === 'outcome-unknown' || state === 'abandoned-unknown';

/** The unresolved ones that somebody still waits for. */
export const needsPerson = (view: ProposalView): boolean => isUnresolved(view) && view.state !== 'abandoned-unknown';

/** What a state means for the data, in one sentence. */
export function meaningOf(view: ProposalView): string {
  switch (view.state) {
    case 'pending':
      return 'Nothing happens until you confirm.';
    case 'executing':
      return 'It was confirmed and handed to the add-on. Its answer is awaited.';
    case 'applied':
      return 'The change was made, once.';
    case 'rejected':
      return 'Nothing was changed.';
    case 'cancelled':
      return 'It was withdrawn. Nothing was changed.';
    case 'expired':
      return 'It was not confirmed in time. Nothing was changed.';
    case 'outcome-unknown':
      return 'It was confirmed, but no answer says whether the change was made. It is never sent a second time.';
    case 'abandoned-unknown':
      return 'Nobody waits for its answer any more. If it turns out that the change was made, that is recorded here.';
  }
}
