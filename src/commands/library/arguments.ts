/** The arguments of the management actions, strictly: an unknown field is a denial (12:351-366). */
import type { SourceSettings } from '../../aggregates/source.js';
import { closed, type Either, isLeft, left, right, t } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';

const natural = new t.Type<number>(
  'natural number',
  (input): input is number => Number.isSafeInteger(input) && (input as number) >= 0,
  (input, context) =>
    Number.isSafeInteger(input) && (input as number) >= 0 ? t.success(input as number) : t.failure(input, context),
  (value) => value,
);

const policy = closed(
  'policy',
  { requireSignature: t.boolean },
  { issuer: t.string, identity: t.string, identityRegex: t.string, allowLoopbackHTTP: t.boolean },
);

const kind = t.keyof({ addon: null, backend: null, all: null });

/** Every field of each action, so that an unknown one can be told from one that is merely wrong. */
const ACTIONS = {
  'catalog-search': closed(
    'catalog-search',
    {},
    { text: t.string, kind, sourceId: t.string, offset: natural, limit: natural },
  ),
  'catalog-details': closed('catalog-details', { sourceId: t.string, version: t.string }),
  'catalog-sources': closed('catalog-sources', {}),
  'addons-installed': closed('addons-installed', {}),
  'catalog-source-save': closed(
    'catalog-source-save',
    { id: t.string },
    { name: t.string, url: t.string, enabled: t.boolean, policy, authReference: t.string, removed: t.boolean },
  ),
  'catalog-source-refresh': closed('catalog-source-refresh', { sourceId: t.string }),
  'operation-status': closed('operation-status', { operationId: t.string }),
} as const;

const FIELDS: Readonly<Record<ManagementAction, readonly string[]>> = {
  'catalog-search': ['text', 'kind', 'sourceId', 'offset', 'limit'],
  'catalog-details': ['sourceId', 'version'],
  'catalog-sources': [],
  'addons-installed': [],
  'catalog-source-save': ['id', 'name', 'url', 'enabled', 'policy', 'authReference', 'removed'],
  'catalog-source-refresh': ['sourceId'],
  'operation-status': ['operationId'],
};

export type ManagementAction = keyof typeof ACTIONS;
export type ArgumentsOf<A extends ManagementAction> = t.TypeOf<(typeof ACTIONS)[A]>;

export const isManagementAction = (action: string): action is ManagementAction => Object.hasOwn(ACTIONS, action);

/** The decoded arguments; 403 `denied` for an unknown field, 400 for a missing or malformed one. */
export function decodeArguments<A extends ManagementAction>(
  action: A,
  given: JsonObject,
): Either<Refusal, ArgumentsOf<A>> {
  if (Object.keys(given).some((field) => !FIELDS[action].includes(field)))
    return left(refuse('denied', 'The arguments have a field that this action does not take. Nothing changed.'));
  const decoded = ACTIONS[action].decode(given);
  if (isLeft(decoded)) return left(refuse('invalid_request', 'The arguments do not fit the action. Nothing changed.'));
  return right(decoded.right as ArgumentsOf<A>);
}

/** The settings in the arguments of a save; a missing name falls back to the id, a missing policy to the plain one. */
export function settingsOf(saved: ArgumentsOf<'catalog-source-save'>): Either<Refusal, SourceSettings> {
  const { id, name, url, policy: chosen, authReference } = saved;
  if (url === undefined) return left(refuse('invalid_request', 'A library needs an address. Nothing changed.'));
  const reference = authReference === undefined || authReference === '' ? {} : { authReference };
  return right({
    name: name ?? id,
    url,
    format: 'library',
    policy: (chosen ?? { requireSignature: false }) as SourceSettings['policy'],
    ...reference,
  });
}
