/** Saving and refreshing a library as operations: bound to their id, repeatable, never run twice (12:351-378). */
import { isKnown, type KnownSource } from '../../aggregates/source.js';
import type { SourceView } from '../../contract/api.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { Caller } from '../gateway.js';
import { type ArgumentsOf, settingsOf } from '../library/arguments.js';
import { isRead } from '../library/releases.js';
import { SERVED } from '../library/shipped.js';
import type { Change } from '../store.js';
import { type Bound, commandDigest, isBoundTo, type OperationDesk, operationConflict, outcomeUnknown } from './desk.js';
import type { LifecycleParts } from './use-case.js';

type Write = 'catalog-source-save' | 'catalog-source-refresh';
type Answer = Either<Refusal, Json>;

export class LibraryWrites {
  private readonly refreshing = new Map<string, Bound & { readonly outcome: Promise<Answer> }>();

  constructor(
    private readonly parts: LifecycleParts,
    private readonly desk: OperationDesk,
  ) {}

  /** Creates, replaces or removes one library of add-ons; answers the library as it is stored. */
  async save(caller: Caller, operationId: string, given: ArgumentsOf<'catalog-source-save'>): Promise<Answer> {
    const bound = bind(caller, 'catalog-source-save', given as unknown as JsonObject);
    if (isLeft(bound)) return bound;
    const repeated = await this.repeat(operationId, bound.right);
    if (repeated !== undefined) return repeated;
    const decided = this.decideSave(given);
    if (isLeft(decided)) return decided;
    const { changes, result } = decided.right;
    const command = { type: 'record', action: 'catalog-source-save', addonId: '' } as const;
    const record = { ...command, digest: bound.right.digest, result: JSON.stringify(result) };
    const done = await this.desk.step(operationId, caller.actor, record, changes);
    return isLeft(done) ? done : right(result);
  }

  /** Reads one library again; one that is off, unreachable or invalid is `503 outcome_unknown` (12:374-378). */
  async refresh(caller: Caller, operationId: string, sourceId: string): Promise<Answer> {
    const bound = bind(caller, 'catalog-source-refresh', { sourceId });
    if (isLeft(bound)) return bound;
    const current = this.refreshing.get(operationId);
    if (current !== undefined)
      return isBoundTo({ ...current.actor, digest: current.digest }, bound.right)
        ? current.outcome
        : left(operationConflict(operationId));
    const outcome = this.refreshOnce(caller, operationId, sourceId, bound.right).finally(() =>
      this.refreshing.delete(operationId),
    );
    this.refreshing.set(operationId, { ...bound.right, outcome });
    return outcome;
  }

  private async refreshOnce(caller: Caller, operationId: string, sourceId: string, bound: Bound): Promise<Answer> {
    const repeated = await this.repeat(operationId, bound);
    if (repeated !== undefined) return repeated;
    const { library, stopping } = this.parts;
    if (library.find(sourceId) === undefined) return left(refuse('not_found', 'There is no library with this id.'));
    const step = (command: Parameters<OperationDesk['step']>[2]): Promise<Either<Refusal, void>> =>
      this.desk.step(operationId, caller.actor, command);
    const { digest } = bound;
    const intent = await step({
      type: 'request',
      action: 'catalog-source-refresh',
      addonId: '',
      digest,
      generation: 0,
    });
    if (isLeft(intent)) return intent;
    const read = await library.refresh(sourceId, stopping);
    if (isLeft(read)) {
      await step({ type: 'fail', code: 'outcome_unknown' });
      return left(unread(operationId));
    }
    const { failed, message, ...learned } = read.right;
    const result = {
      sourceId,
      ...learned,
      lastSuccess: learned.lastSuccess ?? learned.checkedAt,
    } as unknown as JsonObject;
    const phases = [{ type: 'prepare', generation: 0 }, { type: 'apply' }] as const;
    for (const command of [...phases, { type: 'complete', result: JSON.stringify(result) } as const]) {
      const done = await step(command);
      if (isLeft(done)) return left(unread(operationId));
    }
    return right(result);
  }

  /** What an id that was used before is answered with; undefined for a new one. */
  private async repeat(operationId: string, bound: Bound): Promise<Answer | undefined> {
    const found = await this.desk.lookup(operationId);
    if (found === 'foreign') return left(operationConflict(operationId));
    if (found.phase === 'none') return undefined;
    if (!isBoundTo(found, bound)) return left(operationConflict(operationId));
    if (found.phase === 'completed' && found.result !== undefined) return right(JSON.parse(found.result) as Json);
    return left(unread(operationId));
  }

  private decideSave(
    given: ArgumentsOf<'catalog-source-save'>,
  ): Either<Refusal, { changes: readonly Change[]; result: Json }> {
    const { library, context } = this.parts;
    const { sources } = library;
    const known = sources.find(given.id, context.store.ahead);
    if (given.removed === true) {
      const removal = sources.switch(given.id, 'remove');
      return isLeft(removal) ? removal : right({ changes: [removal.right], result: { id: given.id, removed: true } });
    }
    if (known !== undefined && !isRead(known)) return left(NO_POLICY);
    const stays = given.url === undefined || given.url === (known && sources.address(known));
    if (known?.url === SERVED && stays) return this.saveServed(known, given);
    const asked = settingsOf(given);
    const settings = isLeft(asked) ? asked : right({ ...asked.right, name: given.name ?? known?.name ?? given.id });
    if (isLeft(settings)) return settings;
    if (settings.right.policy.allowLoopbackHTTP === true && known?.policy.allowLoopbackHTTP !== true)
      return left(refuse('invalid_request', 'Plain http is opted into on the command line only. Nothing changed.'));
    const enabled = given.enabled ?? known?.enabled ?? true;
    const { kind = 'addon', builtin = false } = known ?? {};
    const state = {
      enabled,
      default: builtin,
      removed: false,
      suspended: known !== undefined && sources.suspended(known),
    };
    const result = { id: given.id, kind, ...settings.right, ...state } as unknown as Json;
    if (known === undefined) {
      const added = sources.add({ kind: 'addon', id: given.id, settings: settings.right, enabled });
      return isLeft(added) ? added : right({ changes: [added.right], result });
    }
    const changed = sources.change(known, settings.right);
    if (isLeft(changed)) return changed;
    return this.withSwitch(known, enabled, [changed.right], result);
  }

  /** The library that the process serves itself can be switched; everything else about it comes with the product. */
  private saveServed(
    known: KnownSource,
    given: ArgumentsOf<'catalog-source-save'>,
  ): Either<Refusal, { changes: readonly Change[]; result: Json }> {
    const view = this.parts.library.find(known.id);
    const renamed = given.name !== undefined && given.name !== known.name;
    if (view === undefined || given.authReference !== undefined || renamed)
      return left(
        refuse(
          'not_permitted',
          'This library ships with the product: it can be turned on or off, removed, or pointed at another address.',
        ),
      );
    const enabled = given.enabled ?? true;
    const { refresh, conflict, ...stored } = view satisfies SourceView;
    return this.withSwitch(known, enabled, [], { ...stored, enabled, removed: false } as unknown as Json);
  }

  private withSwitch(
    known: KnownSource,
    enabled: boolean,
    changes: readonly Change[],
    result: Json,
  ): Either<Refusal, { changes: readonly Change[]; result: Json }> {
    if (isKnown(known) && known.status === 'present' && known.enabled === enabled) return right({ changes, result });
    const switched = this.parts.library.sources.switch(known.id, enabled ? 'enable' : 'disable');
    if (isLeft(switched)) return switched;
    return right({ changes: merged([...changes, switched.right]), result });
  }
}

/** Changes of one stream as one change, since a commit names each stream once. */
function merged(changes: readonly Change[]): readonly Change[] {
  const [first] = changes;
  if (first === undefined) return [];
  return [{ stream: first.stream, events: changes.flatMap(({ events }) => events) }];
}

function bind(caller: Caller, action: Write, args: JsonObject): Either<Refusal, Bound> {
  const digest = commandDigest({ action, addonId: '', arguments: args });
  return isLeft(digest) ? digest : right({ actor: caller.actor, digest: digest.right });
}

const NO_POLICY = refuse(
  'invalid_request',
  'This source is no library of add-ons or backends, so there is nothing to edit about it. Turn it on or off, or remove it.',
);

const unread = (operationId: string): Refusal =>
  outcomeUnknown(
    operationId,
    'The library was not read, or that is not known. The list of libraries says what was last learned.',
  );
