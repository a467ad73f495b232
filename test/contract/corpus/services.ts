/** Host operations, network, connector, credentials, context files, skills (02:208-396; 08:11-134, 08:309-330; 05:52-82). */
import { from, testGroup } from '../corpus.js';

const empty = from('empty');
const commands = from('commands');
const { valid, invalid } = from('connector');
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

testGroup('host operations are exact names [MANIFEST-032] [MANIFEST-100]', [
  empty.valid({ '.hostOperations': { required: ['workspace.materialize'] } }),
  empty.valid({ '.hostOperations': { optional: ['future.unknown-operation'] } }),
  ...['workspace.*', 'workspace.', '*', '.check', 'workspace', 'Workspace.commit', 'a..b', 'a.b ', '', 'a/b'].map(
    (name) => empty.invalid({ '.hostOperations': { required: [name] } }, '.hostOperations.required[0] host-operation'),
  ),
  empty.invalid({ '.hostOperations': { optional: [7] } }, '.hostOperations.optional[0] type'),
]);

testGroup('at most 32 operations in total, each once [MANIFEST-033]', [
  empty.valid({ '.hostOperations': { required: many(16, (i) => `a.r${i}`), optional: many(16, (i) => `a.o${i}`) } }),
  empty.invalid(
    { '.hostOperations': { required: many(16, (i) => `a.r${i}`), optional: many(17, (i) => `a.o${i}`) } },
    '.hostOperations total-size',
  ),
  empty.invalid({ '.hostOperations': { required: many(33, (i) => `a.r${i}`) } }, '.hostOperations.required size'),
  empty.invalid({ '.hostOperations': { required: ['a.b', 'a.b'] } }, '.hostOperations.required[1] repeated-id'),
  empty.invalid(
    { '.hostOperations': { required: ['a.b'], optional: ['a.b'] } },
    '.hostOperations.optional[0] repeated-id',
  ),
]);

testGroup('an empty request for host operations is refused [MANIFEST-034]', [
  empty.invalid({ '.hostOperations': {} }, '.hostOperations empty'),
  empty.invalid({ '.hostOperations': [] }, '.hostOperations type'),
  empty.invalid({ '.hostOperations': { required: ['a.b'], grants: [] } }, '.hostOperations.grants unknown-field'),
]);

testGroup('a network needs manifest API 2 [MANIFEST-020] [MANIFEST-101]', [
  commands.invalid({ api: { min: 1, max: 1 }, '.toolDefinitions[0].execution': undefined }, '.network api-2'),
]);

testGroup('the kind of a network is egress-check [MANIFEST-021]', [
  commands.invalid({ '.network.kind': undefined }, '.network.kind required'),
  commands.invalid({ '.network.kind': 'proxy' }, '.network.kind one-of'),
  commands.invalid({ '.network.hosts': ['*'] }, '.network.hosts unknown-field'),
]);

testGroup('a network asks for egress.check [MANIFEST-022]', [
  commands.valid({ '.hostOperations': { required: ['egress.check'] } }),
  commands.valid({ '.hostOperations': { optional: ['egress.check'] } }),
  commands.invalid({ '.hostOperations': undefined }, '.network network'),
  commands.invalid({ '.hostOperations': { required: ['egress.audit'] } }, '.network network'),
]);

testGroup('the title of a network has at most 40 characters of plain text [MANIFEST-026]', [
  commands.valid({ '.network.title': undefined }),
  commands.invalid({ '.network.title': 'e'.repeat(41) }, '.network.title plain-text'),
  commands.invalid({ '.network.title': 'a>b' }, '.network.title plain-text'),
]);

testGroup('presets are off, registries and all, each once, with a title of at most 40 characters [MANIFEST-028]', [
  commands.valid({ '.network.presets': undefined }),
  commands.valid({ '.network.presets': ['off', 'registries', 'all'].map((id) => ({ id, title: 'x' })) }),
  commands.invalid({ '.network.presets[0].id': 'some' }, '.network.presets[0].id one-of'),
  commands.invalid({ '.network.presets[1].id': 'off' }, '.network.presets[1].id repeated-id'),
  commands.invalid({ '.network.presets[0].title': 'e'.repeat(41) }, '.network.presets[0].title plain-text'),
  commands.invalid({ '.network.presets[0].title': undefined }, '.network.presets[0].title required'),
]);

testGroup('a connector needs no tool and no service flag [CONNECTOR-002]', [
  empty.valid({ '.connector': { kinds: [{ id: 'x', title: 'X', delivery: 'push' }] } }),
  valid(),
]);

const kind = (id: string) => ({ id, title: 'X', delivery: 'pull' });
testGroup('a connector has 1 to 4 kinds [CONNECTOR-003]', [
  empty.valid({ '.connector': { kinds: many(4, (i) => kind(`k${i}`)) } }),
  empty.invalid({ '.connector': { kinds: [] } }, '.connector.kinds size'),
  empty.invalid({ '.connector': { kinds: many(5, (i) => kind(`k${i}`)) } }, '.connector.kinds size'),
  empty.invalid({ '.connector': {} }, '.connector.kinds required'),
]);

testGroup('the id of a kind is a unique identifier [CONNECTOR-004]', [
  empty.invalid({ '.connector': { kinds: [kind('a'), kind('a')] } }, '.connector.kinds[1].id repeated-id'),
  invalid({ '.connector.kinds[0].id': 'Telegram' }, '.connector.kinds[0].id name'),
  invalid({ '.connector.kinds[0].id': undefined }, '.connector.kinds[0].id required'),
]);

testGroup('the texts of a kind have the bounds of UI texts [CONNECTOR-006]', [
  invalid({ '.connector.kinds[0].title': 'e'.repeat(81) }, '.connector.kinds[0].title plain-text'),
  invalid({ '.connector.kinds[0].description': 'e'.repeat(281) }, '.connector.kinds[0].description plain-text'),
  invalid({ '.connector.kinds[0].senderHint': '<x>' }, '.connector.kinds[0].senderHint plain-text'),
]);

testGroup('delivery is pull or push [CONNECTOR-007]', [
  valid({ '.connector.kinds[0].delivery': 'push' }),
  invalid({ '.connector.kinds[0].delivery': 'poll' }, '.connector.kinds[0].delivery one-of'),
  invalid({ '.connector.kinds[0].delivery': undefined }, '.connector.kinds[0].delivery required'),
]);

testGroup('the page of a kind is declared [CONNECTOR-008]', [
  valid({ '.connector.kinds[0].page': undefined }),
  invalid({ '.connector.kinds[0].page': 'other' }, '.connector.kinds[0].page page'),
]);

testGroup('previews are 250 to 10000 ms apart [CONNECTOR-010]', [
  valid({ '.connector.kinds[0].previewMs': 250 }),
  valid({ '.connector.kinds[0].previewMs': 10_000 }),
  invalid({ '.connector.kinds[0].previewMs': 249 }, '.connector.kinds[0].previewMs bounds'),
  invalid({ '.connector.kinds[0].previewMs': 10_001 }, '.connector.kinds[0].previewMs bounds'),
  invalid({ '.connector.kinds[0].drafts': 1 }, '.connector.kinds[0].drafts type'),
]);

const oldApi = { api: { min: 1, max: 1 }, '.credentials': undefined, '.contextFiles': undefined };
const without = (...fields: string[]) =>
  Object.fromEntries(
    ['history', 'options', 'files', 'roles', 'permissions']
      .filter((field) => !fields.includes(field))
      .map((field) => [`.connector.kinds[0].${field}`, undefined]),
  );

testGroup('history needs API 2, threads, and 1 to 200 messages [CONNECTOR-011]', [
  invalid({ ...oldApi, ...without('history') }, '.connector.kinds[0].history api-2'),
  valid({ ...oldApi, ...without() }),
  valid({ '.connector.kinds[0].history': { thread: true } }),
  invalid({ '.connector.kinds[0].history.thread': false }, '.connector.kinds[0].history.thread one-of'),
  invalid({ '.connector.kinds[0].history': {} }, '.connector.kinds[0].history.thread required'),
  invalid({ '.connector.kinds[0].history.maxMessages': 0 }, '.connector.kinds[0].history.maxMessages bounds'),
  invalid({ '.connector.kinds[0].history.maxMessages': 201 }, '.connector.kinds[0].history.maxMessages bounds'),
]);

const values = (count: number) => many(count, (i) => ({ id: `v${i}`, title: 'V' }));
testGroup('options need API 2, at most 4, each with 2 to 8 values and a default among them [CONNECTOR-013]', [
  invalid({ ...oldApi, ...without('options') }, '.connector.kinds[0].options api-2'),
  valid({ '.connector.kinds[0].options[0].values': values(8), '.connector.kinds[0].options[0].default': 'v7' }),
  invalid(
    { '.connector.kinds[0].options[0].values': values(9), '.connector.kinds[0].options[0].default': 'v0' },
    '.connector.kinds[0].options[0].values size',
  ),
  invalid(
    { '.connector.kinds[0].options[0].values': values(1), '.connector.kinds[0].options[0].default': 'v0' },
    '.connector.kinds[0].options[0].values size',
  ),
  invalid({ '.connector.kinds[0].options[0].default': 'never' }, '.connector.kinds[0].options[0].default default'),
  invalid(
    { '.connector.kinds[0].options[0].values[1].id': 'own' },
    '.connector.kinds[0].options[0].values[1].id repeated-id',
  ),
  invalid(
    { '.connector.kinds[0].options': many(5, (i) => ({ id: `o${i}`, title: 'O', values: values(2), default: 'v0' })) },
    '.connector.kinds[0].options size',
  ),
]);

testGroup('roles need API 2, at most 8, each with an identifier and a title [CONNECTOR-016]', [
  invalid({ ...oldApi, ...without('roles') }, '.connector.kinds[0].roles api-2'),
  invalid(
    { '.connector.kinds[0].roles': many(9, (i) => ({ id: `r${i}`, title: 'R' })) },
    '.connector.kinds[0].roles size',
  ),
  invalid({ '.connector.kinds[0].roles[0].id': 'Admin' }, '.connector.kinds[0].roles[0].id name'),
  invalid(
    { '.connector.kinds[0].roles[1]': { id: 'admin', title: 'Again' } },
    '.connector.kinds[0].roles[1].id repeated-id',
  ),
]);

const PERMISSIONS = [
  'proposals.confirm',
  'memory.write',
  'files.upload',
  'triggers.propose',
  'triggers.run',
  'talkback.channels',
  'talkback.new_channel',
  'profile.write',
  'skills.write',
  'pages.write',
  'dashboard.write',
];
testGroup('permissions need API 2 and are of the closed list [CONNECTOR-019] [CONNECTOR-020]', [
  invalid({ ...oldApi, ...without('permissions') }, '.connector.kinds[0].permissions api-2'),
  valid({ '.connector.kinds[0].permissions': PERMISSIONS }),
  ...PERMISSIONS.map((permission) => valid({ '.connector.kinds[0].permissions': [permission] })),
  ...['proposals', 'proposals.*', 'admin', 'Memory.write', ''].map((permission) =>
    invalid({ '.connector.kinds[0].permissions': [permission] }, '.connector.kinds[0].permissions[0] one-of'),
  ),
]);

testGroup('files need API 2, a direction, 1 byte to 1 TiB and distinct media types', [
  invalid({ ...oldApi, ...without('files') }, '.connector.kinds[0].files api-2'),
  valid({ '.connector.kinds[0].files': { send: { maxBytes: 1_099_511_627_776 } } }),
  invalid({ '.connector.kinds[0].files': {} }, '.connector.kinds[0].files empty'),
  invalid({ '.connector.kinds[0].files.send.maxBytes': 0 }, '.connector.kinds[0].files.send.maxBytes bounds'),
  invalid(
    { '.connector.kinds[0].files.send.maxBytes': 1_099_511_627_777 },
    '.connector.kinds[0].files.send.maxBytes bounds',
  ),
  invalid(
    { '.connector.kinds[0].files.receive.maxBytes': undefined },
    '.connector.kinds[0].files.receive.maxBytes required',
  ),
  invalid(
    { '.connector.kinds[0].files.receive.types': ['image/*', 'image/*'] },
    '.connector.kinds[0].files.receive.types[1] repeated',
  ),
  invalid(
    { '.connector.kinds[0].files.receive.types': ['*/*'] },
    '.connector.kinds[0].files.receive.types[0] media-type',
  ),
  invalid(
    { '.connector.kinds[0].files.receive.types': many(33, (i) => `a/b${i}`) },
    '.connector.kinds[0].files.receive.types size',
  ),
]);

testGroup('a credential has an id, a title, a kind and perhaps a resource argument [CREDENTIAL-001]', [
  valid({ '.credentials[0].resourceArgument': undefined }),
  ...['id', 'title', 'kind'].map((field) =>
    invalid({ [`.credentials[0].${field}`]: undefined }, `.credentials[0].${field} required`),
  ),
  invalid({ '.credentials[0].kind': 'password' }, '.credentials[0].kind one-of'),
  invalid({ '.credentials[0].secret': 'x' }, '.credentials[0].secret unknown-field'),
  invalid({ '.credentials': [] }, '.credentials size'),
]);

testGroup('the resource argument names a string [CREDENTIAL-008]', [
  invalid(
    { '.toolDefinitions[0].inputSchema.properties.repo': { type: 'integer' } },
    '.toolDefinitions[0].inputSchema resource-argument',
  ),
  invalid({ '.credentials[0].resourceArgument': '' }, '.credentials[0].resourceArgument argument'),
]);

testGroup('a tool that declares the resource argument requires it [CREDENTIAL-009]', [
  invalid({ '.toolDefinitions[0].inputSchema.required': [] }, '.toolDefinitions[0].inputSchema resource-argument'),
  valid({ '.toolDefinitions[0].inputSchema': { type: 'object' } }),
]);

testGroup('credentials need manifest API 2 [CREDENTIAL-016]', [
  invalid({ api: { min: 1, max: 1 }, ...without(), '.contextFiles': undefined }, '.credentials api-2'),
]);

testGroup('credentials need a connector kind [CREDENTIAL-017]', [
  invalid({ '.connector': undefined }, '.credentials credentials'),
]);

testGroup('an add-on with credentials has read tools only [CREDENTIAL-018]', [
  invalid({ '.toolDefinitions[0].kind': 'create' }, '.toolDefinitions[0].kind credentials'),
  invalid({ '.actions': true, '.toolDefinitions[0].kind': 'action' }, '.toolDefinitions[0].kind credentials'),
  invalid({ '.tools[1]': 'undefined-tool' }, '.tools credentials'),
]);

testGroup('a tool of an add-on with credentials names no resourceId [CREDENTIAL-019]', [
  invalid(
    {
      '.toolDefinitions[0].inputSchema': {
        type: 'object',
        properties: { repo: { type: 'string' }, resourceId: { type: 'string' } },
        required: ['repo', 'resourceId'],
      },
    },
    '.toolDefinitions[0].inputSchema credentials',
  ),
]);

testGroup('at most three context files, one for each scope [MANIFEST-120] [CONTEXT-008]', [
  valid({ '.contextFiles': [{ scope: 'user', path: 'Memory/a.md' }] }),
  invalid({ '.contextFiles[0].scope': 'team' }, '.contextFiles[0].scope one-of'),
  invalid({ '.contextFiles[1]': { scope: 'user', path: 'Memory/b.md' } }, '.contextFiles[1].scope repeated-id'),
  invalid({ '.contextFiles': [] }, '.contextFiles size'),
  invalid({ '.contextFiles[0].id': 'x' }, '.contextFiles[0].id unknown-field'),
]);

testGroup('context files need manifest API 2 [MANIFEST-121]', [
  invalid({ api: { min: 1, max: 1 }, ...without(), '.credentials': undefined }, '.contextFiles api-2'),
]);

testGroup('a context file lies under Memory and ends in .md [MANIFEST-122] [CONTEXT-005]', [
  valid({ '.contextFiles[0].path': 'Memory/a/b-c.d/e.md' }),
  ...[
    'index.md',
    'memory/index.md',
    '/Memory/index.md',
    'Memory/../x.md',
    'Memory/./x.md',
    'Memory//x.md',
    'Memory/x.txt',
    'Memory/.md',
    'Memory/x.md/y',
    'Memory\\x.md',
    'Memory/x.MD',
    '',
  ].map((path) => invalid({ '.contextFiles[0].path': path }, '.contextFiles[0].path context-path')),
]);

testGroup('the placeholder of a context file is the one of its scope, once [MANIFEST-123] [CONTEXT-003]', [
  valid({ '.contextFiles[1].path': 'Memory/{agent}.md' }),
  ...[
    'Memory/agents/index.md',
    'Memory/{agent}/{agent}.md',
    'Memory/{channel}/x.md',
    'Memory/{agent}/{user}.md',
    'Memory/{agent/x.md',
  ].map((path) => invalid({ '.contextFiles[1].path': path }, '.contextFiles[1].path placeholder')),
  invalid({ '.contextFiles[2].path': 'Memory/{agent}.md' }, '.contextFiles[2].path placeholder'),
  invalid({ '.contextFiles[0].path': 'Memory/{agent}.md' }, '.contextFiles[0].path placeholder'),
]);

testGroup('a cap only lowers 2 KiB [MANIFEST-125] [CONTEXT-004]', [
  valid({ '.contextFiles[1].cap': 2_048 }),
  valid({ '.contextFiles[1].cap': 1 }),
  invalid({ '.contextFiles[1].cap': 2_049 }, '.contextFiles[1].cap bounds'),
  invalid({ '.contextFiles[1].cap': 0 }, '.contextFiles[1].cap bounds'),
]);

testGroup('a skill is declared by its name alone [SKILLS-005] [SKILLS-007]', [
  valid({ '.skillDefinitions': [] }),
  invalid({ '.skillDefinitions[0].description': 'x' }, '.skillDefinitions[0].description unknown-field'),
  invalid({ '.skillDefinitions[0].name': undefined }, '.skillDefinitions[0].name required'),
  invalid({ '.skillDefinitions': ['boards'] }, '.skillDefinitions[0] type'),
]);

testGroup('at most 16 skills [SKILLS-009]', [
  valid({ '.skillDefinitions': many(16, (i) => ({ name: `boards-${i}` })) }),
  invalid({ '.skillDefinitions': many(17, (i) => ({ name: `boards-${i}` })) }, '.skillDefinitions size'),
]);

testGroup('a skill name is an identifier and unique [SKILLS-010]', [
  invalid({ '.skillDefinitions[1].name': 'Boards' }, '.skillDefinitions[1].name name'),
  invalid({ '.skillDefinitions[1].name': 'boards' }, '.skillDefinitions[1].name repeated-id'),
]);

testGroup('a plain skill is named after the add-on [SKILLS-011]', [
  ...['other', 'board', 'boardsx', 'my-boards'].map((name) =>
    invalid({ '.skillDefinitions[1].name': name }, '.skillDefinitions[1].name skill-name'),
  ),
  valid({ '.skillDefinitions[1].name': 'boards-a-b' }),
]);

testGroup('reserved skill names are refused for plain skills [SKILLS-012]', [
  ...['writing-skills', 'localai-workspace', 'localai-apps', 'docx', 'pptx', 'pdf'].map((name) =>
    invalid({ '.skillDefinitions[1].name': name }, '.skillDefinitions[1].name skill-reserved'),
  ),
  invalid({ '.skillDefinitions[2].shadows': undefined }, '.skillDefinitions[2].name skill-reserved'),
]);

testGroup('a skill shadows its own name, which is a document slot [SKILLS-013] [SKILLS-031]', [
  ...['xlsx', 'docx', 'pptx', 'pdf'].map((name) => valid({ '.skillDefinitions[2]': { name, shadows: name } })),
  invalid({ '.skillDefinitions[2].shadows': 'docx' }, '.skillDefinitions[2].shadows skill-shadows'),
  invalid({ '.skillDefinitions[0].shadows': 'boards' }, '.skillDefinitions[0].shadows one-of'),
  ...['writing-skills', 'localai-workspace', 'localai-apps'].map((name) =>
    invalid({ '.skillDefinitions[2]': { name, shadows: name } }, '.skillDefinitions[2].shadows one-of'),
  ),
]);
