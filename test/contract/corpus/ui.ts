/** The UI of a manifest: module, pages, texts, contributions, home commands, model actions (05:30-50; 14:201-305; 18:76-186). */
import { MODEL_ACTION_CAPABILITIES } from '../../../src/contract/manifest/home-commands.js';
import { from, testGroup } from '../corpus.js';

const { valid, invalid } = from('ui');
const empty = from('empty');
const MINIMAL = { entry: 'ui/a.js', sdk: { min: 1, max: 2 } };

testGroup(
  'a UI has an entry and an sdk range and everything else is optional [MANIFEST-078] [MANIFEST-087] [SLOTS-002]',
  [
    valid(),
    empty.valid({ '.ui': MINIMAL }),
    invalid({ '.ui.entry': undefined }, '.ui.entry required'),
    invalid({ '.ui.sdk': undefined }, '.ui.sdk required'),
    ...['css', 'navigation', 'title', 'description', 'chatActions', 'slots', 'renderers', 'controls'].map((field) =>
      valid({ [`.ui.${field}`]: undefined }),
    ),
    invalid({ '.ui.theme': 'dark' }, '.ui.theme unknown-field'),
    invalid({ '.ui.entry': 'https://example.com/a.js' }, '.ui.entry path'),
    invalid({ '.ui.css': 'ui/boards.css' }, '.ui.css type'),
    invalid({ '.ui.css': ['../boards.css'] }, '.ui.css[0] path'),
  ],
);

testGroup('an empty UI is not a declaration [MANIFEST-082]', [
  empty.invalid({ '.ui': { sdk: { min: 1, max: 2 } } }, '.ui.entry required'),
  empty.invalid({ '.ui': [] }, '.ui type'),
  empty.invalid({ '.ui': null }, '.ui type'),
]);

testGroup('a malformed sdk range has one generic message [SDKVER-016]', [
  invalid({ '.ui.sdk': { min: 2, max: 1 } }, '.ui.sdk sdk-range'),
  invalid({ '.ui.sdk': { min: 0, max: 2 } }, '.ui.sdk sdk-range'),
  invalid({ '.ui.sdk': { min: 1 } }, '.ui.sdk sdk-range'),
  invalid({ '.ui.sdk': '^2' }, '.ui.sdk sdk-range'),
  invalid({ '.ui.sdk': { min: 1, max: 2, exact: true } }, '.ui.sdk sdk-range'),
]);

testGroup('navigation names declared pages [MANIFEST-079]', [
  valid({ '.ui.navigation': ['archive', 'boards'] }),
  invalid({ '.ui.navigation': ['boards', 'other'] }, '.ui.navigation[1] page'),
  invalid({ '.ui.navigation': ['boards', 'boards'] }, '.ui.navigation[1] repeated'),
  invalid({ '.ui.navigation': [{ page: 'boards' }] }, '.ui.navigation[0] type'),
  invalid({ '.ui.pages[2]': 'Pages' }, '.ui.pages[2] name'),
  invalid({ '.ui.pages[2]': 'boards' }, '.ui.pages[2] repeated'),
]);

testGroup('each UI file is declared once [MANIFEST-080]', [
  invalid({ '.ui.css': ['ui/a.css', 'ui/a.css'] }, '.ui.css[1] repeated-id'),
  invalid({ '.ui.css': ['ui/boards.js'] }, '.ui.css[0] repeated-id'),
]);

testGroup('the icon is not the module or a style sheet [MANIFEST-094]', [
  invalid({ '.ui.css': ['ui/icon.png'] }, '.ui.icon repeated-id'),
  invalid({ '.ui.entry': 'ui/icon.png' }, '.ui.icon repeated-id'),
]);

testGroup('the main page is a declared page [MANIFEST-089]', [
  valid({ '.ui.mainPage': 'archive' }),
  invalid({ '.ui.mainPage': 'other' }, '.ui.mainPage page'),
  invalid({ '.ui.mainPage': '' }, '.ui.mainPage name'),
]);

const icon = (path: string) => ({ '.ui.icon': path, '.ui.chatActions[2].icon': path });
testGroup('the icon is a packaged image of four kinds [MANIFEST-091]', [
  ...['a.png', 'ui/a.webp', 'ui/a.jpg', 'ui/a.jpeg', `${'a'.repeat(252)}.png`].map((path) => valid(icon(path))),
  ...['a.svg', 'a.gif', 'a.PNG', 'a', 'a.png.js', `${'a'.repeat(253)}.png`].map((path) =>
    invalid({ ...icon(path), '.ui.chatActions[2].icon': 'check' }, '.ui.icon icon'),
  ),
]);

testGroup('the icon is never an address or a path outside the package [MANIFEST-093]', [
  ...[
    'https://example.com/a.png',
    'data:image/png;base64,AA.png',
    '//x/a.png',
    '/a.png',
    '../a.png',
    'a/../b.png',
    'a\\b.png',
    'a%2fb.png',
  ].map((path) => invalid({ ...icon(path), '.ui.chatActions[2].icon': 'check' }, '.ui.icon icon')),
]);

testGroup('title and description are bounded texts or language maps [MANIFEST-095]', [
  valid({ '.ui.title': 'é'.repeat(80) }),
  valid({ '.ui.description': '😀'.repeat(280) }),
  valid({ '.ui.title': { 'zh-Hant-TW': 'x', 'de-CH-1996': 'x', 'sr-Latn': 'x', x: undefined } as never }),
  valid({ '.ui.title': Object.fromEntries('abcdefghijklmnop'.split('').map((c) => [`a${c}`, 'x'])) }),
  invalid({ '.ui.title': 'e'.repeat(81) }, '.ui.title plain-text'),
  invalid({ '.ui.title': '' }, '.ui.title plain-text'),
  invalid({ '.ui.description': 'e'.repeat(281) }, '.ui.description plain-text'),
  invalid({ '.ui.title': {} }, '.ui.title size'),
  invalid(
    { '.ui.title': Object.fromEntries('abcdefghijklmnopq'.split('').map((c) => [`a${c}`, 'x'])) },
    '.ui.title size',
  ),
  invalid({ '.ui.title': { english: 'x' } }, '.ui.title.english language'),
  invalid({ '.ui.title': { en_US: 'x' } }, '.ui.title.en_US language'),
  invalid({ '.ui.title': { en: '' } }, '.ui.title.en plain-text'),
  invalid({ '.ui.title': { en: ['x'] } }, '.ui.title.en type'),
  invalid({ '.ui.title': ['x'] }, '.ui.title type'),
  invalid({ '.ui.title': 7 }, '.ui.title type'),
]);

testGroup('texts hold no markup, control character or direction override [MANIFEST-096]', [
  ...['a<b', 'a>b', 'a\nb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u202eb', 'a\u2066b', 'a\u2028b'].flatMap((text) => [
    invalid({ '.ui.title': text }, '.ui.title plain-text'),
    invalid({ '.ui.description': { en: text } }, '.ui.description.en plain-text'),
  ]),
  valid({ '.ui.title': 'שלום & "Bücher" – 100 %' }),
]);

testGroup('a chat action is a bare name or a full declaration [MANIFEST-083] [SLOTS-003]', [
  valid({ '.ui.chatActions': ['a', 'b'] }),
  ...['id', 'label', 'placement', 'target'].map((field) =>
    invalid({ [`.ui.chatActions[1].${field}`]: undefined }, `.ui.chatActions[1].${field} required`),
  ),
  valid({ '.ui.chatActions[1].icon': undefined }),
  invalid({ '.ui.chatActions[0]': 'Inert' }, '.ui.chatActions[0] name'),
  invalid({ '.ui.chatActions[0]': 7 }, '.ui.chatActions[0] type'),
  invalid({ '.ui.chatActions[1].id': 'Pin' }, '.ui.chatActions[1].id name'),
  invalid({ '.ui.chatActions[1].placement': 'header' }, '.ui.chatActions[1].placement one-of'),
  invalid({ '.ui.chatActions[1].url': 'x' }, '.ui.chatActions[1].url unknown-field'),
]);

testGroup('the label of a chat action is plain text of at most 60 characters [SLOTS-004]', [
  valid({ '.ui.chatActions[1].label': 'é'.repeat(60) }),
  invalid({ '.ui.chatActions[1].label': 'e'.repeat(61) }, '.ui.chatActions[1].label plain-text'),
  invalid({ '.ui.chatActions[1].label': '<i>Pin</i>' }, '.ui.chatActions[1].label plain-text'),
  invalid({ '.ui.chatActions[1].label': { en: '<' } }, '.ui.chatActions[1].label.en plain-text'),
]);

testGroup('the icon of a chat action is a host icon or the packaged one [SLOTS-005]', [
  valid({ '.ui.chatActions[1].icon': 'ui/icon.png' }),
  ...['https://example.com/x.png', '/x.png', 'ui/other.png', 'no-such-icon'].map((icon) =>
    invalid({ '.ui.chatActions[1].icon': icon }, '.ui.chatActions[1].icon icon-reference'),
  ),
]);

testGroup('a target is one tool or one component [SLOTS-006]', [
  valid({ '.ui.chatActions[1].target': { component: 'Pin' } }),
  invalid({ '.ui.chatActions[1].target': {} }, '.ui.chatActions[1].target target'),
  invalid({ '.ui.chatActions[1].target.component': 'Pin' }, '.ui.chatActions[1].target target'),
  invalid({ '.ui.chatActions[1].target': { tool: 'other' } }, '.ui.chatActions[1].target.tool undeclared'),
  invalid({ '.ui.chatActions[1].target': { url: 'x' } }, '.ui.chatActions[1].target target'),
]);

testGroup('slots are of the closed list [SLOTS-007] [MANIFEST-084]', [
  ...['chat.composer.actions', 'chat.message.actions', 'app.nav'].map((slot) => valid({ '.ui.slots[0].slot': slot })),
  ...['chat.header', 'Settings.sections', '', 'body'].map((slot) =>
    invalid({ '.ui.slots[0].slot': slot }, '.ui.slots[0].slot one-of'),
  ),
  invalid({ '.ui.slots[0].id': 'pin' }, '.ui.slots[0].id repeated-id'),
  invalid({ '.ui.slots[0].component': undefined }, '.ui.slots[0].component required'),
]);

testGroup('identifiers are unique across chat actions and slots, and entries are closed [SLOTS-012]', [
  invalid({ '.ui.slots[1].id': 'settings' }, '.ui.slots[1].id repeated-id'),
  invalid({ '.ui.chatActions[1].id': 'inert' }, '.ui.chatActions[1].id repeated-id'),
  invalid({ '.ui.slots[0].selector': '#x' }, '.ui.slots[0].selector unknown-field'),
  invalid({ '.ui.renderers[0].html': 'x' }, '.ui.renderers[0].html unknown-field'),
]);

testGroup('a renderer is of two kinds, for a tool of the add-on, once for each [SLOTS-008]', [
  valid({ '.ui.renderers[1]': { kind: 'tool-result', tool: 'boards-show', component: 'Result' } }),
  invalid({ '.ui.renderers[0].kind': 'page' }, '.ui.renderers[0].kind one-of'),
  invalid({ '.ui.renderers[0].tool': 'other' }, '.ui.renderers[0].tool undeclared'),
  invalid(
    { '.ui.renderers[1]': { kind: 'approval-card', tool: 'boards-show', component: 'Other' } },
    '.ui.renderers[1] repeated-id',
  ),
]);

testGroup('controls are known host controls without repeats [SLOTS-009]', [
  valid({ '.ui.controls': ['network-policy', 'tool-providers'] }),
  invalid({ '.ui.controls': ['theme'] }, '.ui.controls[0] one-of'),
  invalid({ '.ui.controls': ['tool-providers', 'tool-providers'] }, '.ui.controls[1] repeated'),
  invalid({ '.ui.controls': [{ id: 'tool-providers' }] }, '.ui.controls[0] one-of'),
]);

testGroup('a component is a PascalCase name of at most 64 characters [SLOTS-010]', [
  valid({ '.ui.slots[0].component': `A${'b'.repeat(63)}` }),
  ...['settings', 'A-b', 'A.b', '', `A${'b'.repeat(64)}`, '_A'].map((component) =>
    invalid({ '.ui.slots[0].component': component }, '.ui.slots[0].component component'),
  ),
]);

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
testGroup('each list of contributions has at most 16 entries [SLOTS-011]', [
  valid({ '.ui.chatActions': many(16, (i) => `a${i}`), '.ui.slots': [] }),
  invalid({ '.ui.chatActions': many(17, (i) => `a${i}`), '.ui.slots': [] }, '.ui.chatActions size'),
  valid({ '.ui.slots': many(16, (i) => ({ id: `s${i}`, slot: 'app.nav', component: 'A' })) }),
  invalid({ '.ui.slots': many(17, (i) => ({ id: `s${i}`, slot: 'app.nav', component: 'A' })) }, '.ui.slots size'),
  invalid(
    {
      '.tools': many(17, (i) => (i === 0 ? 'boards-show' : `t${i}`)),
      '.ui.renderers': many(17, (i) => ({
        kind: 'tool-result',
        tool: i === 0 ? 'boards-show' : `t${i}`,
        component: 'A',
      })),
    },
    '.ui.renderers size',
  ),
]);

testGroup('a files.preview slot says which extensions it handles, and no other slot does [SLOTS-022]', [
  invalid({ '.ui.slots[1].extensions': undefined }, '.ui.slots[1].extensions extensions'),
  invalid({ '.ui.slots[0].extensions': ['a'] }, '.ui.slots[0].extensions extensions'),
  invalid({ '.ui.slots[1].extensions': [] }, '.ui.slots[1].extensions size'),
  invalid({ '.ui.slots[1].extensions': many(17, (i) => `x${i}`) }, '.ui.slots[1].extensions size'),
  invalid({ '.ui.slots[1].extensions': ['.docx'] }, '.ui.slots[1].extensions[0] extension'),
  invalid({ '.ui.slots[1].extensions': ['Docx'] }, '.ui.slots[1].extensions[0] extension'),
  invalid({ '.ui.slots[1].extensions': ['docx', 'docx'] }, '.ui.slots[1].extensions[1] repeated'),
]);

testGroup('home commands are optional and at most 8 [HOMECMD-001]', [
  valid({ '.ui.homeCommands': undefined }),
  valid({ '.ui.homeCommands': many(8, (i) => ({ id: `c${i}` })) }),
  invalid({ '.ui.homeCommands': many(9, (i) => ({ id: `c${i}` })) }, '.ui.homeCommands size'),
]);

testGroup('each home command has a unique id [HOMECMD-002]', [
  invalid({ '.ui.homeCommands[0].id': undefined }, '.ui.homeCommands[0].id required'),
  invalid({ '.ui.homeCommands[1].id': 'open' }, '.ui.homeCommands[1].id repeated-id'),
  invalid({ '.ui.homeCommands[0].id': 'Open' }, '.ui.homeCommands[0].id name'),
]);

testGroup('an alias is a lower-case identifier without slash [HOMECMD-003]', [
  valid({ '.ui.homeCommands[0].alias': undefined }),
  ...['/boards', 'Boards', 'a/b', 'a b', 'addon:x'].map((alias) =>
    invalid({ '.ui.homeCommands[0].alias': alias }, '.ui.homeCommands[0].alias name'),
  ),
]);

testGroup('the page of a home command is declared, if not in the navigation [HOMECMD-004] [HOMECMD-038]', [
  valid({ '.ui.homeCommands[0].page': 'archive' }),
  invalid({ '.ui.homeCommands[0].page': 'other' }, '.ui.homeCommands[0].page page'),
  invalid({ '.ui.homeCommands[0].page': 'boards-show' }, '.ui.homeCommands[0].page page'),
]);

testGroup('a home command without page needs the main page [HOMECMD-005]', [
  invalid({ '.ui.mainPage': undefined }, '.ui.homeCommands[0] home-command'),
  valid({ '.ui.mainPage': undefined, '.ui.homeCommands[0].page': 'boards' }),
]);

testGroup('a label is a string or a language map, never a default wrapper [HOMECMD-006]', [
  valid({ '.ui.homeCommands[1].label': { en: 'Archive', it: 'Archivio' } }),
  invalid({ '.ui.homeCommands[1].label': { default: 'Archive' } }, '.ui.homeCommands[1].label.default language'),
]);

testGroup('a label has at most 60 characters of plain text [HOMECMD-007]', [
  valid({ '.ui.homeCommands[1].label': '😀'.repeat(60) }),
  invalid({ '.ui.homeCommands[1].label': '😀'.repeat(61) }, '.ui.homeCommands[1].label plain-text'),
  invalid({ '.ui.homeCommands[1].label': { en: 'a<b' } }, '.ui.homeCommands[1].label.en plain-text'),
]);

testGroup('the icon of a home command is a host icon or the packaged one [HOMECMD-009]', [
  valid({ '.ui.homeCommands[1].icon': 'ui/icon.png' }),
  valid({ '.ui.homeCommands[1].icon': 'puzzle' }),
  ...['ui/other.png', 'https://x/y.png', 'unknown-icon'].map((icon) =>
    invalid({ '.ui.homeCommands[1].icon': icon }, '.ui.homeCommands[1].icon icon-reference'),
  ),
]);

testGroup('unused fields of a home command are absent, not empty or null [HOMECMD-011]', [
  invalid({ '.ui.homeCommands[0].alias': '' }, '.ui.homeCommands[0].alias name'),
  invalid({ '.ui.homeCommands[0].alias': null }, '.ui.homeCommands[0].alias type'),
  invalid({ '.ui.homeCommands[1].page': null }, '.ui.homeCommands[1].page type'),
  invalid({ '.ui.homeCommands[1].label': '' }, '.ui.homeCommands[1].label plain-text'),
  invalid({ '.ui.homeCommands[1].icon': '' }, '.ui.homeCommands[1].icon icon'),
  invalid({ '.ui.homeCommands[1].icon': null }, '.ui.homeCommands[1].icon type'),
]);

testGroup('a home command cannot lead to a tool, URL, text, install or component [HOMECMD-012]', [
  ...['tool', 'url', 'text', 'install', 'component', 'command'].map((field) =>
    invalid({ [`.ui.homeCommands[0].${field}`]: 'x' }, `.ui.homeCommands[0].${field} unknown-field`),
  ),
]);

testGroup('a model action has a capability and a declared page [MANIFEST-106]', [
  invalid({ '.ui.modelActions[0].capability': undefined }, '.ui.modelActions[0].capability required'),
  invalid({ '.ui.modelActions[0].page': undefined }, '.ui.modelActions[0].page required'),
  invalid({ '.ui.modelActions[0].page': 'other' }, '.ui.modelActions[0].page page'),
]);

testGroup('the path of a model action is optional and not empty [MANIFEST-107]', [
  valid({ '.ui.modelActions[0].path': undefined }),
  invalid({ '.ui.modelActions[0].path': '' }, '.ui.modelActions[0].path route'),
]);

testGroup('one model action for each capability, 27 at most [MANIFEST-108]', [
  valid({ '.ui.modelActions': MODEL_ACTION_CAPABILITIES.map((capability) => ({ capability, page: 'boards' })) }),
  invalid(
    { '.ui.modelActions[1]': { capability: 'FLAG_IMAGE', page: 'archive' } },
    '.ui.modelActions[1].capability repeated-id',
  ),
]);

const segments = (count: number) => many(count, () => 's').join('/');
testGroup('page and path together have eight segments of 64 characters and 256 in all [MANIFEST-109]', [
  valid({ '.ui.modelActions[0].path': segments(7) }),
  invalid({ '.ui.modelActions[0].path': segments(8) }, '.ui.modelActions[0].path route'),
  valid({ '.ui.modelActions[0].path': 's'.repeat(64) }),
  invalid({ '.ui.modelActions[0].path': 's'.repeat(65) }, '.ui.modelActions[0].path route'),
  valid({ '.ui.modelActions[0].path': many(4, () => 's'.repeat(60)).join('/') }),
  invalid(
    { '.ui.modelActions[0].path': many(4, () => 's'.repeat(62)).join('/') },
    '.ui.modelActions[0].path route-length',
  ),
  invalid({ '.ui.modelActions[0].path': 'a/./b' }, '.ui.modelActions[0].path route'),
  invalid({ '.ui.modelActions[0].path': '..' }, '.ui.modelActions[0].path route'),
]);

testGroup('a model action path is no address [MANIFEST-110]', [
  ...['/a', 'a/', 'https://x', 'a?b', 'a#b', 'a%20b', 'a\\b', '//a', 'a b', 'é'].map((path) =>
    invalid({ '.ui.modelActions[0].path': path }, '.ui.modelActions[0].path route'),
  ),
]);

testGroup('keys of model actions are exact [MANIFEST-111] [MANIFEST-115]', [
  ...['Capability', 'priority', 'label', 'permission', 'query', 'url'].map((field) =>
    invalid({ [`.ui.modelActions[0].${field}`]: 'x' }, `.ui.modelActions[0].${field} unknown-field`),
  ),
]);

testGroup('native and aggregate flags are no capabilities of model actions [MANIFEST-112]', [
  ...['FLAG_CHAT', 'FLAG_COMPLETION', 'FLAG_LLM', 'FLAG_ANY', 'flag_image', 'IMAGE', ''].map((capability) =>
    invalid({ '.ui.modelActions[0].capability': capability }, '.ui.modelActions[0].capability one-of'),
  ),
]);
