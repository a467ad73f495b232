/** What an add-on places into host pages: chat actions, slots, renderers, controls (14:201-305). */
import type { JsonObject } from '../json.js';
import { isObject, list, member, oneOf, type Report, record, type Shape, stringOr, text } from '../shape.js';
import { entries, type Facts, repeats, strings } from './facts.js';
import { HOST_ICONS } from './icons.js';
import { component, localized, name } from './words.js';

/** The closed list of places in host pages (14:224-234). */
export const HOST_SLOTS = [
  'chat.composer.actions',
  'chat.message.actions',
  'app.nav',
  'settings.sections',
  'files.preview',
] as const;

/** The closed list of components the host draws for an add-on (14:256-267). */
export const HOST_CONTROLS = ['network-policy', 'tool-providers'] as const;

const MAX_ENTRIES = 16;

/** A host icon, or the packaged `ui.icon`; which of the two is a rule across fields. */
export const iconReference = text({
  rule: 'icon',
  says: 'the name of a host icon or the path in ui.icon',
  max: 256,
});

const target: Shape = {
  schema: {
    oneOf: [
      { type: 'object', properties: { tool: name.schema }, required: ['tool'], additionalProperties: false },
      {
        type: 'object',
        properties: { component: component.schema },
        required: ['component'],
        additionalProperties: false,
      },
    ],
  },
  check(value, at, report) {
    if (isObject(value) && Object.hasOwn(value, 'tool') === Object.hasOwn(value, 'component'))
      report(at, 'target', 'A target has exactly one of "tool" and "component".');
    else record({}, { tool: name, component }).check(value, at, report);
  },
};

export const chatActions = list(
  stringOr(
    name,
    record(
      { id: name, label: localized(60), placement: oneOf('composer', 'message'), target },
      { icon: iconReference },
    ),
  ),
  { max: MAX_ENTRIES },
);

const extension = text({
  rule: 'extension',
  says: 'a file extension in lower case without the dot',
  pattern: '^[a-z0-9]{1,16}$',
  max: 16,
});

export const slots = list(
  record(
    { id: name, slot: oneOf(...HOST_SLOTS), component },
    { extensions: list(extension, { min: 1, max: 16, unique: true }) },
  ),
  { max: MAX_ENTRIES },
);

export const renderers = list(record({ kind: oneOf('approval-card', 'tool-result'), tool: name, component }), {
  max: MAX_ENTRIES,
});

export const controls = list(oneOf(...HOST_CONTROLS), { max: 8, unique: true });

export function contributionRules(facts: Facts, ui: JsonObject, at: string, report: Report): void {
  const actionsAt = member(at, 'chatActions');
  const actions = entries(ui.chatActions, actionsAt);
  const placed = entries(ui.slots, member(at, 'slots'));
  const ids = [
    ...strings(ui.chatActions, actionsAt),
    ...[...actions, ...placed].flatMap(({ value, at: path }) =>
      typeof value.id === 'string' ? [{ value: value.id, at: member(path, 'id') }] : [],
    ),
  ];
  repeats(ids, (path) => report(path, 'repeated-id', 'Each chat action and slot needs an id of its own.'));
  for (const { value, at: path } of actions) {
    iconRule(value.icon, ui, member(path, 'icon'), report);
    if (isObject(value.target)) toolRule(facts, value.target.tool, member(member(path, 'target'), 'tool'), report);
  }
  for (const { value, at: path } of placed) extensionRule(value, path, report);
  const drawn = entries(ui.renderers, member(at, 'renderers'));
  for (const { value, at: path } of drawn) toolRule(facts, value.tool, member(path, 'tool'), report);
  const pairs = drawn.map(({ value, at: path }) => ({
    value: `${String(value.kind)} ${String(value.tool)}`,
    at: path,
  }));
  repeats(pairs, (path) => report(path, 'repeated-id', 'There is one renderer for each kind and tool.'));
}

/** Reports an icon that is neither a host icon nor the packaged one. */
export function iconRule(icon: unknown, ui: JsonObject, at: string, report: Report): void {
  if (typeof icon !== 'string' || icon === '' || icon === ui.icon || HOST_ICONS.includes(icon)) return;
  if (icon.length <= 256)
    report(at, 'icon-reference', 'This must be the name of a host icon, or exactly the path in ui.icon.');
}

function toolRule(facts: Facts, tool: unknown, at: string, report: Report): void {
  if (typeof tool === 'string' && !facts.tools.has(tool))
    report(at, 'undeclared', 'This must be one of the tools in capabilities.tools.');
}

function extensionRule(value: JsonObject, at: string, report: Report): void {
  const has = Object.hasOwn(value, 'extensions');
  if (value.slot === 'files.preview' && !has)
    report(member(at, 'extensions'), 'extensions', 'A files.preview slot must say which extensions it handles.');
  if (value.slot !== 'files.preview' && has)
    report(member(at, 'extensions'), 'extensions', 'Only a files.preview slot has extensions; remove the field.');
}
