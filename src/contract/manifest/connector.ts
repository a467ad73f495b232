/** Connector kinds: what a messaging add-on says about its platform (08:11-54, 08:111-134). */
import { boolean, integer, isObject, list, member, oneOf, type Report, record, text } from '../shape.js';
import { CAPABILITIES, type Entry, entries, type Facts, NEEDS_API_2, repeats } from './facts.js';
import { isName, name, plain } from './words.js';

/** Permissions a kind may grant to a role; the second list is never granted to a role, only to a paired sender. */
export const ROLE_PERMISSIONS = [
  'proposals.confirm',
  'memory.write',
  'files.upload',
  'triggers.propose',
  'triggers.run',
  'talkback.channels',
] as const;
export const SENSITIVE_PERMISSIONS = [
  'talkback.new_channel',
  'profile.write',
  'skills.write',
  'pages.write',
  'dashboard.write',
] as const;

const TITLE = 80;
const DESCRIPTION = 280;
const MAX_FILE_BYTES = 1_099_511_627_776;

const mediaType = text({
  rule: 'media-type',
  says: 'a media type in lower case, such as application/pdf or image/*',
  pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/(?:\\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,63})$',
  max: 129,
});
const direction = record(
  { maxBytes: integer(1, MAX_FILE_BYTES) },
  { types: list(mediaType, { min: 1, max: 32, unique: true }) },
);
const option = record(
  {
    id: name,
    title: plain(TITLE),
    values: list(record({ id: name, title: plain(TITLE) }), { min: 2, max: 8 }),
    default: name,
  },
  { description: plain(DESCRIPTION) },
);
const role = record({ id: name, title: plain(TITLE) }, { description: plain(DESCRIPTION) });

const kind = record(
  { id: name, title: plain(TITLE), delivery: oneOf('pull', 'push') },
  {
    description: plain(DESCRIPTION),
    senderHint: plain(DESCRIPTION),
    page: name,
    drafts: boolean,
    previewMs: integer(250, 10_000),
    history: record({ thread: oneOf(true) }, { maxMessages: integer(1, 200) }),
    options: list(option, { min: 1, max: 4 }),
    files: record({}, { receive: direction, send: direction }, { some: true }),
    roles: list(role, { min: 1, max: 8 }),
    permissions: list(oneOf(...ROLE_PERMISSIONS, ...SENSITIVE_PERMISSIONS), { min: 1, max: 12, unique: true }),
  },
);

export const connector = record({ kinds: list(kind, { min: 1, max: 4 }) });

const AT = member(CAPABILITIES, 'connector');
const API_2_FIELDS = ['history', 'options', 'files', 'roles', 'permissions'];

const ids = (list: readonly Entry[]) =>
  list.flatMap(({ value, at }) => (typeof value.id === 'string' ? [{ value: value.id, at: member(at, 'id') }] : []));

export function connectorRules(facts: Facts, report: Report): void {
  const { connector: declared } = facts.capabilities;
  if (!isObject(declared)) return;
  const kinds = entries(declared.kinds, member(AT, 'kinds'));
  repeats(ids(kinds), (at) => report(at, 'repeated-id', 'Each kind of the connector needs an id of its own.'));
  for (const { value, at } of kinds) {
    if (isName(value.page) && !facts.pages.has(value.page))
      report(member(at, 'page'), 'page', 'This must be one of the pages in capabilities.ui.pages.');
    for (const field of API_2_FIELDS)
      if (facts.oldApi && Object.hasOwn(value, field)) report(member(at, field), 'api-2', NEEDS_API_2);
    const roles = ids(entries(value.roles, member(at, 'roles')));
    repeats(roles, (path) => report(path, 'repeated-id', 'Each role of a kind needs an id of its own.'));
    const options = entries(value.options, member(at, 'options'));
    repeats(ids(options), (path) => report(path, 'repeated-id', 'Each option of a kind needs an id of its own.'));
    for (const one of options) optionRules(one, report);
  }
}

function optionRules({ value, at }: Entry, report: Report): void {
  const values = ids(entries(value.values, member(at, 'values')));
  repeats(values, (path) => report(path, 'repeated-id', 'Each value of an option needs an id of its own.'));
  if (typeof value.default === 'string' && !values.some((one) => one.value === value.default))
    report(member(at, 'default'), 'default', 'The default must be the id of one of the values.');
}
