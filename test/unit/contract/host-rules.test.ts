import { claimOf, commandsProvider, networkControl, noteFor } from '../../../src/contract/commands-provider.js';
import { decodeExecutionStatus } from '../../../src/contract/execution-status.js';
import { commandFor, type HomeApp, homeRegistry } from '../../../src/contract/home-registry.js';
import { admitHostOps, covers, mayCall } from '../../../src/contract/host-op-admission.js';
import { validateArguments } from '../../../src/contract/input-schema.js';
import type { JsonObject } from '../../../src/contract/json.js';
import { parseManifest } from '../../../src/contract/manifest.js';
import type { Manifest } from '../../../src/contract/manifest-types.js';
import { byInstallation, skillProvider, toolProvider } from '../../../src/contract/provider-choice.js';
import { listingTool, listResources } from '../../../src/contract/resource-listing.js';
import { assert, suite } from '../../support/harness.js';
import { change, commandsManifest, dataManifest, manifestWith, uiManifest } from '../../support/manifests.js';

const test = suite('host rules');

function parsed(value: JsonObject): Manifest {
  const result = parseManifest(JSON.stringify(value));
  if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
  return result.right;
}

const policy = (grants: readonly string[], ...vocabulary: string[]) => ({ grants, vocabulary: new Set(vocabulary) });
const asking = (hostOperations: JsonObject) => parsed(manifestWith({ hostOperations }));

test('a grant covers a name by a literal nonempty prefix [HOSTOPS-004]', () => {
  assert.ok(covers(['workspace.'], 'workspace.materialize'));
  assert.ok(covers(['workspace.materialize'], 'workspace.materialize'));
  assert.not.ok(covers(['workspace.materialize.narrow.'], 'workspace.materialize'));
  assert.not.ok(covers([''], 'workspace.materialize'));
  assert.not.ok(covers(['*'], 'workspace.materialize'));
  assert.not.ok(covers([], 'workspace.materialize'));
});

test('an unknown operation is unsupported and never granted by inference [MANIFEST-037] [HOSTOPS-005]', () => {
  const broad = policy(['workspace.'], 'workspace.commit');
  assert.not.ok(mayCall(broad, 'workspace.future'));
  const admission = admitHostOps(asking({ optional: ['workspace.future', 'workspace.commit'] }), broad);
  assert.equal(admission.granted, ['workspace.commit']);
  assert.equal(admission.missing, ['workspace.future']);
});

test('requests grant nothing: the policy and the vocabulary decide [HOSTOPS-002] [HOSTOPS-001]', () => {
  const nothing = admitHostOps(asking({ required: ['egress.check'] }), policy([], 'egress.check'));
  assert.is(nothing.admitted, false);
  assert.equal(nothing.granted, []);
  const all = admitHostOps(asking({ required: ['egress.check'] }), policy(['egress.'], 'egress.check', 'egress.audit'));
  assert.is(all.admitted, true);
  assert.equal(all.granted, ['egress.check'], 'only what was asked for, not everything that is granted');
});

test('an optional operation may be missing, a required one may not', () => {
  const some = policy(['a.'], 'a.b');
  assert.is(admitHostOps(asking({ required: ['a.b'], optional: ['c.d'] }), some).admitted, true);
  assert.is(admitHostOps(asking({ required: ['c.d'], optional: ['a.b'] }), some).admitted, false);
});

test('granted counts only requested names that are supported and covered [HOSTOPS-014]', () => {
  const admission = admitHostOps(
    asking({ required: ['a.b'], optional: ['a.x', 'c.d'] }),
    policy(['a.', 'z.'], 'a.b', 'c.d', 'z.z'),
  );
  assert.equal(admission.granted, ['a.b']);
  assert.equal(admission.missing, ['a.x', 'c.d']);
});

test('a manifest without requests is unspecified, neither none nor all [MANIFEST-035] [HOSTOPS-003]', () => {
  const admission = admitHostOps(parsed(manifestWith({})), policy([], 'a.b'));
  assert.equal(admission, { specified: false, required: [], optional: [], granted: [], missing: [], admitted: true });
});

const commands = () => parsed(commandsManifest());
const changed = (path: string, to: JsonObject | string | undefined) => parsed(change(commandsManifest(), path, to));
const ISOLATED = decodeExecutionStatus('{"readiness":"available","isolation":"isolated"}').status;
const HOST = decodeExecutionStatus('{"readiness":"available","isolation":"host"}').status;

test('a descriptor says title, note and skills, and no readiness or isolation [MANIFEST-014]', () => {
  const provider = commandsProvider(commands());
  assert.equal(provider, {
    tool: 'bash',
    title: 'Runbox',
    note: 'The environment has python3, jq and sqlite3.',
    skillsNeedIsolation: true,
  });
  assert.is(provider && noteFor(provider, ISOLATED), 'The environment has python3, jq and sqlite3.');
  assert.is(provider && noteFor(provider, HOST), undefined);
  assert.is(claimOf(commands(), 'bash', undefined).status.isolation, 'unknown');
});

test('a commands tool without descriptor goes by the own title, with no note and the isolation check [MANIFEST-016]', () => {
  const plain = change(commandsManifest(), 'capabilities.toolDefinitions[0].execution', undefined);
  assert.equal(commandsProvider(parsed(plain)), { tool: 'bash', title: 'boards', skillsNeedIsolation: true });
  const titled = parsed(change(plain, 'capabilities.ui.title', { en: 'My runner' }));
  assert.equal(commandsProvider(titled)?.title, { en: 'My runner' });
  assert.is(commandsProvider(parsed(uiManifest())), undefined);
});

test('a descriptor that leaves providesRuntimeFor out opts out of the isolation check [SKILLS-003]', () => {
  assert.is(
    commandsProvider(changed('capabilities.toolDefinitions[0].execution.skills', undefined))?.skillsNeedIsolation,
    false,
  );
});

const answer = { payload: { readiness: 'available', isolation: 'isolated', networkPolicyEnforced: true } };
test('an add-on without executionProvider claims no isolation whatever it answers [EXECSTATUS-038]', () => {
  const silent = changed('capabilities.executionProvider', undefined);
  assert.is(claimOf(silent, 'bash', answer).status.isolation, 'unknown');
  assert.is(claimOf(commands(), 'bash', answer).status.isolation, 'isolated');
});

test('a status covers the bound tools alone [EXECSTATUS-022]', () => {
  assert.is(claimOf(commands(), 'execution-status', answer).status.isolation, 'unknown');
  assert.is(claimOf(commands(), 'other', answer).status.networkPolicyEnforced, false);
});

test('an unknown backend is reported as unknown, never inferred from a declaration [EXECSTATUS-040]', () => {
  const unknown = claimOf(commands(), 'bash', { payload: { readiness: 'available', isolation: 'unknown' } });
  assert.equal(unknown.status, { readiness: 'available', isolation: 'unknown', networkPolicyEnforced: false });
});

test('the network control attaches by declaration and grant, whatever the id [MANIFEST-023]', () => {
  for (const id of ['sandbox', 'boards', 'zz'])
    assert.equal(networkControl(changed('id', id), ['egress.']), {
      title: 'Runbox',
      presets: [
        { id: 'off', title: 'Closed' },
        { id: 'all', title: 'Open web' },
      ],
    });
  assert.is(networkControl(commands(), []), undefined);
  assert.is(networkControl(commands(), ['workspace.']), undefined);
});

test('the control attaches without a tool that replaces bash [MANIFEST-025]', () => {
  const value = manifestWith({
    network: { kind: 'egress-check' },
    hostOperations: { required: ['egress.check'] },
  });
  assert.equal(networkControl(parsed(value), ['egress.check']), { title: 'boards', presets: [] });
});

test('without network the control needs the request, the grant and a tool that replaces bash [MANIFEST-031] [CONTROLS-007]', () => {
  const old = change(commandsManifest(), 'capabilities.network', undefined);
  assert.equal(networkControl(parsed(old), ['egress.']), { title: 'Runbox', presets: [] });
  assert.is(networkControl(parsed(old), []), undefined);
  assert.is(networkControl(parsed(change(old, 'capabilities.ui.controls', [])), ['egress.']), undefined);
  const shadowless = parsed(
    manifestWith({ ui: { entry: 'a.js', sdk: { min: 1, max: 2 }, controls: ['network-policy'] } }),
  );
  assert.is(networkControl(shadowless, ['egress.']), undefined);
});

const listing = (value: JsonObject) => listingTool(parsed(value));

test('a listing tool is named by its add-on, takes exactly {} and has a key for its items [LISTING-003] [LISTING-005] [LISTING-007]', () => {
  const tool = listing(dataManifest());
  assert.is(tool?.qualified, 'addon__boards__boards-list');
  assert.is(tool?.items, 'boards');
  assert.is(listing(change(dataManifest(), 'capabilities.resources.list.items', undefined))?.items, 'resources');
  assert.equal(validateArguments(tool?.inputSchema ?? {}, {}), []);
  assert.is(validateArguments(tool?.inputSchema ?? {}, { limit: 1 }).length, 1);
});

test('an add-on that declares no list has no listing tool [LISTING-015]', () => {
  assert.is(listing(change(dataManifest(), 'capabilities.resources.list', undefined)), undefined);
  assert.is(listing(uiManifest()), undefined);
});

test('an entry has the resource, the role and a name when there is one [LISTING-009]', () => {
  const grants = [
    { resourceId: 'b', userId: 'u', role: 'owner', name: 'Board' },
    { resourceId: 'a', userId: 'u', role: 'viewer' },
  ] as const;
  assert.equal(listResources(grants, 'u', 'boards'), {
    boards: [
      { resourceId: 'a', role: 'viewer' },
      { resourceId: 'b', name: 'Board', role: 'owner' },
    ],
    truncated: false,
  });
});

test('a listing says when it is not complete [LISTING-010]', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ resourceId: `r${i}`, userId: 'u', role: 'owner' as const }));
  assert.is(listResources(many(100), 'u', 'x').truncated, false);
  assert.is(listResources(many(101), 'u', 'x').truncated, true);
});

const candidate = (addonId: string, installedAt?: string, canServe = true) =>
  installedAt === undefined ? { addonId, canServe } : { addonId, installedAt, canServe };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-02-01T00:00:00Z';

test('without a choice the earliest installed that runs serves; ties by id, unknown times last [SHADOW-015] [SKILLS-038]', () => {
  const all = [candidate('b', LATE), candidate('c', EARLY), candidate('a', EARLY), candidate('z')];
  assert.is(toolProvider('bash', all, {}), 'a');
  assert.is(skillProvider('xlsx', all, {}), 'a');
  assert.equal(
    [...all].sort(byInstallation).map(({ addonId }) => addonId),
    ['a', 'c', 'b', 'z'],
  );
  assert.is(toolProvider('bash', [candidate('a', EARLY, false), candidate('b', LATE)], {}), 'b');
  assert.is(toolProvider('bash', [], {}), undefined);
});

test('a choice is served by that add-on alone [SHADOW-014]', () => {
  const all = [candidate('a', EARLY), candidate('b', LATE)];
  assert.is(toolProvider('bash', all, { bash: 'b' }), 'b');
  assert.is(toolProvider('web_fetch', all, { bash: 'b' }), 'a');
});

test('a choice that cannot serve gives the built-in, one that is not installed is ignored [SHADOW-016]', () => {
  const all = [candidate('a', EARLY), candidate('b', LATE, false)];
  assert.is(toolProvider('bash', all, { bash: 'b' }), undefined);
  assert.is(toolProvider('bash', all, { bash: 'gone' }), 'a');
});

test('a pinned document skill is served by nobody else', () => {
  const all = [candidate('a', EARLY), candidate('b', LATE, false)];
  assert.is(skillProvider('xlsx', all, { xlsx: 'b' }), undefined);
  assert.is(skillProvider('xlsx', all, { xlsx: 'gone' }), undefined);
  assert.is(skillProvider('xlsx', all, { xlsx: 'a' }), 'a');
});

const app = (addonId: string, commands: HomeApp['commands'], more: Partial<HomeApp> = {}): HomeApp => ({
  addonId,
  title: addonId.toUpperCase(),
  mainPage: 'main',
  commands,
  ...more,
});
const NONE = { native: new Set<string>(), skills: new Set<string>() };

test('every command has its canonical name, ordered by add-on and id [HOMECMD-018] [HOMECMD-022]', () => {
  const { commands: made } = homeRegistry([app('b', [{ id: 'z' }, { id: 'a' }]), app('a', [{ id: 'x' }])], NONE);
  assert.equal(
    made.map(({ name }) => name),
    ['/addon:a:x', '/addon:b:a', '/addon:b:z'],
  );
});

test('an alias of a native command is not given away [HOMECMD-019]', () => {
  const made = homeRegistry([app('a', [{ id: 'x', alias: 'apps' }])], { ...NONE, native: new Set(['apps']) });
  assert.is(made.commands[0]?.alias, undefined);
  assert.equal(made.diagnostics, [{ alias: 'apps', reason: 'native', claimants: ['/addon:a:x'] }]);
});

test('an alias of a usable skill is not given away [HOMECMD-020]', () => {
  const made = homeRegistry([app('a', [{ id: 'x', alias: 'xlsx' }])], { ...NONE, skills: new Set(['xlsx']) });
  assert.is(made.commands[0]?.alias, undefined);
  assert.is(made.diagnostics[0]?.reason, 'skill');
});

test('an alias that several ask for is given to none of them, and their names stay [HOMECMD-021]', () => {
  const made = homeRegistry(
    [
      app('a', [{ id: 'x', alias: 's' }]),
      app('b', [
        { id: 'y', alias: 's' },
        { id: 'z', alias: 't' },
      ]),
    ],
    NONE,
  );
  assert.equal(
    made.commands.map(({ name, alias }) => [name, alias]),
    [
      ['/addon:a:x', undefined],
      ['/addon:b:y', undefined],
      ['/addon:b:z', '/t'],
    ],
  );
  assert.equal(made.diagnostics, [{ alias: 's', reason: 'shared', claimants: ['/addon:a:x', '/addon:b:y'] }]);
});

test('without a label a command shows the title, and the page when it is not the main one [HOMECMD-008]', () => {
  const { commands: made } = homeRegistry(
    [app('a', [{ id: 'x' }, { id: 'y', page: 'old' }, { id: 'z', label: 'Named' }])],
    NONE,
  );
  assert.equal(
    made.map(({ label }) => label),
    ['A', 'A old', 'Named'],
  );
});

test('without an icon a command has the icon of its app, then puzzle [HOMECMD-010]', () => {
  const icons = (more: Partial<HomeApp>) => homeRegistry([app('a', [{ id: 'x' }], more)], NONE).commands[0]?.icon;
  assert.is(icons({ icon: 'ui/icon.png' }), 'ui/icon.png');
  assert.is(icons({}), 'puzzle');
});

test('a command is found by its exact name or alias: no label, prefix or argument [HOMECMD-024] [HOMECMD-026]', () => {
  const registry = homeRegistry([app('a', [{ id: 'x', alias: 'studio', label: 'Studio' }])], NONE);
  assert.is(commandFor(registry, '/addon:a:x')?.page, 'main');
  assert.is(commandFor(registry, '/studio')?.page, 'main');
  for (const text of ['Studio', 'studio', '/stu', '/studio now', '/addon:a', '/addon:a:x ', '', '/Studio'])
    assert.is(commandFor(registry, text), undefined, text);
});

test.run();
