/** Tools, resources, shadows, execution and the provider (02:70-198, 02:322-356; 07:115-119; 09:34-84). */
import { from, testGroup } from '../corpus.js';

const data = from('data');
const commands = from('commands');
const ui = from('ui');

testGroup('a definition has a name, a kind, a description and an input schema [MANIFEST-127]', [
  data.valid(),
  commands.valid(),
  ...['name', 'kind', 'description', 'inputSchema'].map((field) =>
    data.invalid({ [`.toolDefinitions[1].${field}`]: undefined }, `.toolDefinitions[1].${field} required`),
  ),
  data.invalid({ '.toolDefinitions[1].kind': 'delete' }, '.toolDefinitions[1].kind one-of'),
  data.invalid({ '.toolDefinitions[1].description': '' }, '.toolDefinitions[1].description description'),
  data.invalid({ '.toolDefinitions[1].description': 'a\u202eb' }, '.toolDefinitions[1].description description'),
  data.valid({ '.toolDefinitions[1].description': 'Two lines,\n\tand a <tag>.' }),
  data.invalid({ '.toolDefinitions[1].title': 'x' }, '.toolDefinitions[1].title unknown-field'),
  data.invalid({ '.toolDefinitions[1].name': 'boards-inspect' }, '.toolDefinitions[1].name repeated-id'),
  data.invalid({ '.toolDefinitions[1].name': 'boards-other' }, '.toolDefinitions[1].name undeclared'),
]);

testGroup('input schemas keep to the closed dialect', [
  data.invalid({ '.toolDefinitions[1].inputSchema': [] }, '.toolDefinitions[1].inputSchema type'),
  data.invalid(
    { '.toolDefinitions[1].inputSchema': { type: 'array' } },
    '.toolDefinitions[1].inputSchema.type schema-root',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.$ref': '#' },
    '.toolDefinitions[1].inputSchema["$ref"] schema-keyword',
  ),
  data.invalid({ '.toolDefinitions[1].inputSchema.anyOf': [] }, '.toolDefinitions[1].inputSchema.anyOf schema-keyword'),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.additionalProperties': true },
    '.toolDefinitions[1].inputSchema.additionalProperties schema-closed',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.Tool': { type: 'string' } },
    '.toolDefinitions[1].inputSchema.properties.Tool schema-property',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.limit.type': 'int' },
    '.toolDefinitions[1].inputSchema.properties.limit.type schema-type',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.limit.minimum': '1' },
    '.toolDefinitions[1].inputSchema.properties.limit.minimum schema-bound',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.limit.minimum': 101 },
    '.toolDefinitions[1].inputSchema.properties.limit.minimum schema-bound-order',
  ),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.limit.maxLength': 1 },
    '.toolDefinitions[1].inputSchema.properties.limit.maxLength schema-keyword-type',
  ),
  data.invalid(
    { '.toolDefinitions[3].inputSchema.properties.name.pattern': '(a)\\1' },
    '.toolDefinitions[3].inputSchema.properties.name.pattern schema-pattern',
  ),
  data.invalid(
    { '.toolDefinitions[3].inputSchema.properties.name.pattern': '(?=a)' },
    '.toolDefinitions[3].inputSchema.properties.name.pattern schema-pattern',
  ),
  data.invalid(
    { '.toolDefinitions[2].inputSchema.required[1]': 'other' },
    '.toolDefinitions[2].inputSchema.required[1] schema-required',
  ),
  data.invalid(
    { '.toolDefinitions[2].inputSchema.properties.cards.items.enum': [] },
    '.toolDefinitions[2].inputSchema.properties.cards.items.enum schema-enum',
  ),
  data.invalid(
    { '.toolDefinitions[2].inputSchema.properties.cards.items.const': {} },
    '.toolDefinitions[2].inputSchema.properties.cards.items.const schema-const',
  ),
  data.invalid(
    { '.toolDefinitions[2].inputSchema.properties.cards.items.title': 7 },
    '.toolDefinitions[2].inputSchema.properties.cards.items.title schema-text',
  ),
  data.valid({ '.toolDefinitions[2].inputSchema.properties.any': {} }),
  data.valid({ '.toolDefinitions[2].inputSchema.properties.cards.items': { enum: ['a', 1, null] } }),
]);

testGroup('an action tool needs actions: true [ACTION-003]', [
  commands.invalid({ '.actions': undefined }, '.toolDefinitions[0].kind actions'),
  commands.invalid({ '.actions': false }, '.toolDefinitions[0].kind actions'),
]);

testGroup('write and schema tools, and reads that offer a resource, require resourceId [UNDOCAP-013]', [
  data.invalid({ '.toolDefinitions[2].inputSchema.required': [] }, '.toolDefinitions[2].inputSchema resource-id'),
  data.invalid(
    { '.toolDefinitions[2].inputSchema': { type: 'object', properties: {} } },
    '.toolDefinitions[2].inputSchema resource-id',
  ),
  data.invalid({ '.toolDefinitions[3].inputSchema.required': [] }, '.toolDefinitions[3].inputSchema resource-id'),
  data.invalid({ '.toolDefinitions[1].inputSchema.required': [] }, '.toolDefinitions[1].inputSchema resource-id'),
  data.invalid(
    { '.toolDefinitions[1].inputSchema.properties.resourceId': { type: 'integer' } },
    '.toolDefinitions[1].inputSchema resource-id',
  ),
  data.valid({ '.toolDefinitions[1].inputSchema': { type: 'object' } }),
]);

testGroup('a create tool has no resourceId [UNDOCAP-010]', [
  data.invalid(
    { '.toolDefinitions[4].inputSchema.properties.resourceId': { type: 'string' } },
    '.toolDefinitions[4].inputSchema resource-id',
  ),
]);

testGroup('a page-only tool is a read tool without resourceId [UNDOCAP-014]', [
  ui.valid({ '.toolDefinitions[0].uiOnly': true }),
  ui.valid({ '.toolDefinitions[0].uiOnly': false }),
  ui.invalid({ '.toolDefinitions[0].uiOnly': 'yes' }, '.toolDefinitions[0].uiOnly type'),
  data.invalid({ '.toolDefinitions[1].uiOnly': true }, '.toolDefinitions[1].inputSchema ui-only'),
  data.invalid({ '.toolDefinitions[4].uiOnly': true }, '.toolDefinitions[4].uiOnly ui-only'),
]);

testGroup('at most 4 admin tools, none of them in tools or with a definition [UNDOCAP-002]', [
  data.invalid({ '.adminTools': ['boards-delete', 'boards-delete'] }, '.adminTools[1] repeated'),
  data.invalid({ '.tools[6]': 'boards-delete' }, '.adminTools admin-tool'),
  data.invalid(
    {
      '.toolDefinitions[6]': { name: 'boards-delete', kind: 'read', description: 'x', inputSchema: { type: 'object' } },
    },
    '.toolDefinitions[6].name admin-tool',
  ),
]);

testGroup('an admin tool is the delete of the mapping [UNDOCAP-005]', [
  data.invalid({ '.adminTools[1]': 'boards-purge' }, '.adminTools admin-tool'),
  data.valid({ '.adminTools': undefined, '.resources.delete': undefined }),
]);

testGroup('the mapping names tools that exist with the kind it needs [UNDOCAP-004]', [
  data.invalid({ '.resources.create': 'boards-read' }, '.resources.create mapping'),
  data.invalid({ '.resources.create': 'other' }, '.resources.create mapping'),
  data.invalid({ '.resources.rename': 'cards-add' }, '.resources.rename mapping'),
  data.invalid({ '.resources.rename': 'other' }, '.resources.rename mapping'),
  data.invalid({ '.resources.inspect': 'boards-create' }, '.resources.inspect mapping'),
  data.invalid({ '.resources.inspect': 'other' }, '.resources.inspect mapping'),
]);

testGroup('every field of the mapping is optional and the noun is plain text [UNDOCAP-007]', [
  data.valid({ '.resources': {}, '.adminTools': [] }),
  data.valid({ '.resources.noun': undefined }),
  data.valid({ '.resources.inspect': undefined }),
  data.invalid({ '.resources.noun': '<b>board</b>' }, '.resources.noun plain-text'),
  data.invalid({ '.resources.noun': '' }, '.resources.noun plain-text'),
  data.invalid({ '.resources.plural': 'boards' }, '.resources.plural unknown-field'),
]);

const withoutExists = { '.tools[5]': 'other', '.toolDefinitions[5].name': 'other' };
testGroup('a mapping with create or delete needs the read tool resource-exists [UNDOCAP-008]', [
  data.invalid(withoutExists, '.resources resource-exists'),
  data.invalid({ ...withoutExists, '.resources.create': undefined }, '.resources resource-exists'),
  data.invalid({ ...withoutExists, '.resources.delete': undefined, '.adminTools': [] }, '.resources resource-exists'),
  data.invalid({ '.toolDefinitions[5].kind': 'write' }, '.resources resource-exists'),
  data.valid({ ...withoutExists, '.resources.create': undefined, '.resources.delete': undefined, '.adminTools': [] }),
]);

testGroup('undo is a boolean, and the undo calls are names of the host [UNDOCAP-001]', [
  data.valid({ '.undo': false }),
  data.invalid({ '.undo': 'yes' }, '.undo type'),
  data.invalid({ '.tools[6]': 'changes-get' }, '.tools host-only'),
  data.invalid({ '.tools[6]': 'changes-undo' }, '.tools host-only'),
  data.invalid({ '.adminTools[1]': 'changes-undo' }, '.adminTools host-only'),
  data.invalid({ '.resources.list.tool': 'changes-get' }, '.resources.list.tool host-only'),
]);

testGroup('resources may hold noun, inspect and list with tool and items [LISTING-001]', [
  data.valid({ '.resources.list': undefined }),
  data.valid({ '.resources.list': { tool: 'all' } }),
  data.valid({ '.resources.list.items': 'Boards_2' }),
  data.invalid({ '.resources.list': {} }, '.resources.list.tool required'),
  data.invalid({ '.resources.list': 'boards-list' }, '.resources.list type'),
  data.invalid({ '.resources.list.limit': 5 }, '.resources.list.limit unknown-field'),
  data.invalid({ '.resources.list.items': '' }, '.resources.list.items key'),
  data.invalid({ '.resources.list.items': 'truncated' }, '.resources.list.items key'),
  data.invalid({ '.resources.list.tool': 'Boards' }, '.resources.list.tool name'),
]);

testGroup('a listing tool has a name of its own [LISTING-004]', [
  data.invalid({ '.resources.list.tool': 'boards-read' }, '.resources.list.tool listing'),
  data.invalid({ '.resources.list.tool': 'boards-delete' }, '.resources.list.tool listing'),
]);

testGroup('a listing needs manifest API 2 [LISTING-006]', [
  data.invalid({ api: { min: 1, max: 1 } }, '.resources.list api-2'),
  data.valid({ api: { min: 2, max: 2 } }),
  data.valid({ api: { min: 1, max: 1 }, '.resources.list': undefined }),
]);

testGroup('only bash, web_search and web_fetch can be replaced [SHADOW-001]', [
  ...['read_file', 'Bash', 'write_file', '', 'python'].map((shadows) =>
    ui.invalid({ '.toolDefinitions[0].shadows': shadows }, '.toolDefinitions[0].shadows one-of'),
  ),
]);

const shadow = (property: string, more = {}) => ({
  type: 'object',
  properties: { [property]: { type: 'string' }, ...more },
  required: [property],
});
testGroup('a replacement looks like what it replaces [SHADOW-003]', [
  ui.valid({ '.toolDefinitions[0].shadows': 'web_search', '.toolDefinitions[0].inputSchema': shadow('query') }),
  ui.valid({ '.toolDefinitions[0].shadows': 'web_fetch', '.toolDefinitions[0].inputSchema': shadow('url') }),
  ui.invalid(
    { '.toolDefinitions[0].shadows': 'web_search', '.toolDefinitions[0].inputSchema': shadow('url') },
    '.toolDefinitions[0].inputSchema shadows',
  ),
  ui.invalid(
    { '.toolDefinitions[0].shadows': 'web_fetch', '.toolDefinitions[0].inputSchema': shadow('query') },
    '.toolDefinitions[0].inputSchema shadows',
  ),
  commands.invalid(
    { '.toolDefinitions[0].inputSchema.properties.command.type': 'array' },
    '.toolDefinitions[0].inputSchema shadows',
  ),
  commands.invalid(
    { '.toolDefinitions[0].inputSchema.required[1]': 'timeout' },
    '.toolDefinitions[0].inputSchema shadows',
  ),
  ui.invalid(
    {
      '.actions': true,
      '.toolDefinitions[0].kind': 'action',
      '.toolDefinitions[0].shadows': 'web_fetch',
      '.toolDefinitions[0].inputSchema': shadow('url'),
    },
    '.toolDefinitions[0].kind shadows',
  ),
  ui.invalid(
    { '.toolDefinitions[0].shadows': 'bash', '.toolDefinitions[0].inputSchema': shadow('command') },
    '.toolDefinitions[0].kind shadows',
  ),
]);

testGroup('a replacement may take more optional properties but no resourceId [SHADOW-004]', [
  ui.valid({
    '.toolDefinitions[0].shadows': 'web_fetch',
    '.toolDefinitions[0].inputSchema': shadow('url', { raw: { type: 'boolean' } }),
  }),
  ui.invalid(
    {
      '.toolDefinitions[0].shadows': 'web_fetch',
      '.toolDefinitions[0].inputSchema': shadow('url', { resourceId: { type: 'string' } }),
    },
    '.toolDefinitions[0].inputSchema resource-id',
  ),
]);

testGroup('a page-only tool replaces nothing, and a name is replaced once [SHADOW-002]', [
  ui.invalid(
    {
      '.toolDefinitions[0].shadows': 'web_fetch',
      '.toolDefinitions[0].uiOnly': true,
      '.toolDefinitions[0].inputSchema': shadow('url'),
    },
    '.toolDefinitions[0].shadows shadows',
  ),
  ui.invalid(
    {
      '.tools': ['boards-show', 'second'],
      '.toolDefinitions': ['boards-show', 'second'].map((name) => ({
        name,
        kind: 'read',
        description: 'x',
        shadows: 'web_fetch',
        inputSchema: shadow('url'),
      })),
    },
    '.toolDefinitions[1].shadows shadows',
  ),
]);

testGroup('an execution descriptor needs manifest API 2 [MANIFEST-006]', [
  commands.invalid({ api: { min: 1, max: 1 }, '.network': undefined }, '.toolDefinitions[0].execution api-2'),
  commands.valid({ api: { min: 2, max: 3 } }),
]);

testGroup('an add-on without descriptor may stay at API 1 [MANIFEST-015]', [
  commands.valid({ api: { min: 1, max: 1 }, '.network': undefined, '.toolDefinitions[0].execution': undefined }),
]);

testGroup('an execution descriptor stands on a tool that shadows bash [MANIFEST-007]', [
  commands.invalid(
    { '.toolDefinitions[1].execution': { class: 'commands' } },
    '.toolDefinitions[1].execution execution',
  ),
]);

testGroup('the class of an execution descriptor is commands [MANIFEST-008]', [
  commands.invalid(
    { '.toolDefinitions[0].execution.class': undefined },
    '.toolDefinitions[0].execution.class required',
  ),
  commands.invalid({ '.toolDefinitions[0].execution.class': 'code' }, '.toolDefinitions[0].execution.class one-of'),
  commands.invalid(
    { '.toolDefinitions[0].execution.isolated': true },
    '.toolDefinitions[0].execution.isolated unknown-field',
  ),
]);

testGroup('the title of a descriptor has at most 40 characters of plain text [MANIFEST-009]', [
  commands.valid({ '.toolDefinitions[0].execution.title': 'é'.repeat(40) }),
  commands.valid({ '.toolDefinitions[0].execution.title': undefined }),
  commands.invalid(
    { '.toolDefinitions[0].execution.title': 'e'.repeat(41) },
    '.toolDefinitions[0].execution.title plain-text',
  ),
  commands.invalid({ '.toolDefinitions[0].execution.title': '<b>' }, '.toolDefinitions[0].execution.title plain-text'),
]);

testGroup('the note of a descriptor has at most 600 characters of plain text [MANIFEST-011]', [
  commands.valid({ '.toolDefinitions[0].execution.note': '😀'.repeat(600) }),
  commands.invalid(
    { '.toolDefinitions[0].execution.note': '😀'.repeat(601) },
    '.toolDefinitions[0].execution.note plain-text',
  ),
  commands.invalid(
    { '.toolDefinitions[0].execution.note': 'a\u0007' },
    '.toolDefinitions[0].execution.note plain-text',
  ),
]);

testGroup('a runtime is provided for documents, or for nothing named [MANIFEST-013]', [
  commands.valid({ '.toolDefinitions[0].execution.skills': undefined }),
  commands.valid({ '.toolDefinitions[0].execution.skills': {} }),
  commands.invalid(
    { '.toolDefinitions[0].execution.skills.providesRuntimeFor': ['images'] },
    '.toolDefinitions[0].execution.skills.providesRuntimeFor[0] one-of',
  ),
]);

testGroup('a provider binds 1 to 8 unique declared action tools [EXECSTATUS-001]', [
  commands.invalid({ '.executionProvider.tools': [] }, '.executionProvider.tools size'),
  commands.invalid({ '.executionProvider.tools': ['bash', 'bash'] }, '.executionProvider.tools[1] repeated'),
  commands.invalid({ '.executionProvider.tools': ['other'] }, '.executionProvider.tools[0] provider'),
  commands.invalid(
    { '.executionProvider.tools': ['bash', 'execution-status'] },
    '.executionProvider.tools[1] provider',
  ),
  commands.invalid({ '.executionProvider.tools': 'bash' }, '.executionProvider.tools type'),
]);

testGroup('a bound tool replaces bash [EXECSTATUS-002]', [
  commands.invalid(
    { '.toolDefinitions[0].shadows': undefined, '.toolDefinitions[0].execution': undefined },
    '.executionProvider.tools[0] provider',
  ),
]);

testGroup('the shadow rules hold for bound tools too [EXECSTATUS-003]', [
  commands.invalid(
    {
      '.tools[2]': 'sh',
      '.toolDefinitions[2]': {
        name: 'sh',
        kind: 'action',
        description: 'x',
        shadows: 'bash',
        inputSchema: shadow('command'),
      },
      '.executionProvider.tools[1]': 'sh',
    },
    '.toolDefinitions[2].shadows shadows',
  ),
]);

testGroup('the provider names exactly one page-only read as its status tool [EXECSTATUS-005] [EXECSTATUS-044]', [
  commands.invalid({ '.executionProvider.statusTool': undefined }, '.executionProvider.statusTool required'),
  commands.invalid({ '.executionProvider.statusTool': ['execution-status'] }, '.executionProvider.statusTool type'),
  commands.invalid({ '.executionProvider.statusTool': 'other' }, '.executionProvider.statusTool status-tool'),
  commands.invalid({ '.executionProvider.statusTool': 'bash' }, '.executionProvider.statusTool status-tool'),
  commands.invalid({ '.toolDefinitions[1].uiOnly': undefined }, '.executionProvider.statusTool status-tool'),
  commands.invalid({ '.executionProvider.isolated': true }, '.executionProvider.isolated unknown-field'),
]);

testGroup('the status tool accepts {} [EXECSTATUS-006]', [
  commands.valid({ '.toolDefinitions[1].inputSchema': { type: 'object' } }),
  commands.valid({
    '.toolDefinitions[1].inputSchema': { type: 'object', properties: { verbose: { type: 'boolean' } } },
  }),
  commands.invalid(
    { '.toolDefinitions[1].inputSchema': { type: 'object', properties: { verbose: {} }, required: ['verbose'] } },
    '.executionProvider.statusTool status-tool',
  ),
]);
