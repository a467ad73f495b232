/** The choice of who replaces a built-in tool: the owner's own policy, changed key by key. */

import { isLeft, right } from '../../../src/contract/fp.js';
import type { ChoicesPatch } from '../../../src/contract/tool-providers.js';
import { withCommands } from '../../support/command-providers.js';
import { assert, suite } from '../../support/harness.js';
import { BROWSER, httpFixture, ORIGIN } from '../../support/http.js';
import { ADMIN, codeOf, must, READER, type World } from '../../support/lifecycle-world.js';

const test = suite('tool providers');

const change = (world: World, operationId: string, revision: number, choices: ChoicesPatch, caller = ADMIN) =>
  world.lifecycle.providers.change(caller, { operationId, revision, choices });
const view = async (world: World) => must(await world.lifecycle.providers.view(ADMIN));
const rowOf = async (world: World, tool: string) => (await view(world)).tools.find((row) => row.tool === tool);

test(
  'with no choice the add-on installed first serves, and a stopped one is listed as stopped [SETTINGS-028]',
  withCommands(async ({ world }) => {
    const row = await rowOf(world, 'bash');
    assert.is(row?.serving, 'demo');
    assert.equal(
      row?.candidates.map(({ addonId, stopped }) => [addonId, stopped]),
      [
        ['demo', false],
        ['other', false],
      ],
    );
    await world.act('disable', 'op-9');
    assert.is((await rowOf(world, 'bash'))?.serving, 'other');
    await world.act('disable', 'op-10', {}, 'other');
    const idle = await rowOf(world, 'bash');
    assert.is(idle?.serving, undefined);
    assert.match(idle?.note ?? '', 'the built-in tool serves');
    assert.equal(
      idle?.candidates.map(({ stopped }) => stopped),
      [true, true],
    );
    assert.equal((await rowOf(world, 'web_search'))?.candidates, []);
  }),
);

test(
  'a change writes the named keys alone, and null takes one choice away and no other [PROVIDERS-001] [PROVIDERS-002] [SETTINGS-059] [SETTINGS-061]',
  withCommands(async ({ world }) => {
    must(await change(world, 'c-1', 0, { bash: 'other', web_search: 'demo' }));
    must(await change(world, 'c-2', 1, { xlsx: 'other' }));
    const chosen = async () =>
      (await view(world)).tools.flatMap(({ tool, chosen: by }) => (by ? [`${tool} ${by}`] : []));
    assert.equal(await chosen(), ['bash other', 'web_search demo', 'xlsx other']);
    assert.is((await rowOf(world, 'bash'))?.serving, 'other', 'at the next read');
    assert.equal(must(await change(world, 'c-3', 2, { bash: null })).revision, 3);
    assert.equal(await chosen(), ['web_search demo', 'xlsx other']);
    assert.is((await rowOf(world, 'bash'))?.serving, 'demo');
    const [, , last] = world.store.journal.readStream('host-policy');
    assert.equal([last?.payload, last?.actor], [{ revision: 3, chats_tool_providers: { bash: null } }, ADMIN.actor]);
    must(await world.boot());
    assert.equal(await chosen(), ['web_search demo', 'xlsx other']);
  }),
);

test(
  'a chosen tool provider that cannot serve gives the built-in and no other; one that is gone is ignored; a skill stays with its choice',
  withCommands(async ({ world }) => {
    must(await change(world, 'c-1', 0, { bash: 'other', xlsx: 'other' }));
    await world.act('disable', 'op-9', {}, 'other');
    assert.is((await rowOf(world, 'bash'))?.serving, undefined);
    await world.act('uninstall', 'op-10', {}, 'other');
    assert.is((await rowOf(world, 'bash'))?.serving, 'demo');
    const skill = await rowOf(world, 'xlsx');
    assert.equal([skill?.serving, skill?.chosen], [undefined, 'other']);
    assert.match(skill?.note ?? '', 'nobody serves it');
  }),
);

test(
  'a change from an older revision is refused and overwrites nothing [SETTINGS-058] [SETTINGS-062]',
  withCommands(async ({ world }) => {
    must(await change(world, 'c-1', 0, { bash: 'other' }));
    for (const revision of [0, 2]) assert.is(codeOf(await change(world, 'c-2', revision, { bash: 'demo' })), 'stale');
    assert.is((await rowOf(world, 'bash'))?.chosen, 'other');
    const both = await Promise.all([
      change(world, 'c-3', 1, { bash: 'demo' }),
      change(world, 'c-4', 1, { bash: null }),
    ]);
    assert.equal(both.map(codeOf), ['right', 'stale']);
    assert.is((await view(world)).revision, 2);
  }),
);

test(
  'a repeat of an operation makes no new revision, also after a restart, and its id is good for no other change [SETTINGS-064]',
  withCommands(async ({ world }) => {
    must(await change(world, 'c-1', 0, { bash: 'other' }));
    must(await change(world, 'c-2', 1, { web_fetch: 'demo' }));
    assert.is(must(await change(world, 'c-1', 0, { bash: 'other' })).revision, 2);
    must(await world.boot());
    assert.is(must(await change(world, 'c-1', 0, { bash: 'other' })).revision, 2);
    assert.is(codeOf(await change(world, 'c-1', 2, { bash: 'other' })), 'operation_conflict');
    assert.is(codeOf(await change(world, 'c-1', 0, { bash: 'demo' })), 'operation_conflict');
    assert.is(world.store.journal.readStream('host-policy').length, 2);
  }),
);

test(
  'after a change of unknown outcome no write is taken until the restart, and then the same operation counts once [PROVIDERS-004] [SETTINGS-005]',
  withCommands(async ({ world, listen }) => {
    for (const [index, how] of (['fail', 'after', 'before'] as const).entries()) {
      const { revision } = await view(world);
      const choices = { bash: `addon-${index}` };
      world.storage.survive();
      world.storage.plan = { at: 1, how };
      const crash = world.storage.nextCrash();
      const first = change(world, `c-${index}`, revision, choices);
      if (how === 'fail') {
        const answer = await first;
        assert.ok(isLeft(answer) && answer.left.refusal === 'outcome_unknown');
        assert.is(isLeft(answer) ? answer.left.detail?.operationId : '', `c-${index}`);
        assert.is(codeOf(await change(world, 'c-9', revision, { bash: 'demo' })), 'fenced');
        assert.is(codeOf(await world.lifecycle.providers.view(ADMIN)), 'fenced');
      } else await crash;
      must(await world.boot());
      listen();
      must(await change(world, `c-${index}`, revision, choices));
      const after = await view(world);
      assert.equal([after.revision, after.tools[0]?.chosen], [revision + 1, choices.bash], how);
    }
  }),
);

test(
  'choices are for administrators alone, who are asked for at every call [SETTINGS-002] [OBSERVE-036]',
  withCommands(async ({ world, asked }) => {
    assert.is(codeOf(await world.lifecycle.providers.view(READER)), 'denied');
    assert.is(codeOf(await change(world, 'c-1', 0, { bash: 'other' }, READER)), 'denied');
    assert.is(codeOf(await world.lifecycle.providers.execution(READER)), 'denied');
    must(await change(world, 'c-1', 0, { bash: 'other' }));
    world.administrators = async () => right(false);
    assert.is(codeOf(await change(world, 'c-2', 1, { bash: null })), 'denied');
    assert.is(codeOf(await world.lifecycle.providers.execution(ADMIN)), 'denied');
    assert.equal([asked.length, world.store.journal.readStream('host-policy').length], [0, 1]);
  }),
);

const put = (app: ReturnType<typeof httpFixture>['app'], body: unknown) =>
  app.request(`${ORIGIN}/api/admin/tool-providers`, {
    method: 'PUT',
    headers: { Host: '127.0.0.1:8080', 'Content-Type': 'application/json', ...BROWSER },
    body: JSON.stringify(body),
  });

test('the route takes the seven keys and refuses every other body [SETTINGS-043] [SETTINGS-044] [SETTINGS-003]', async () => {
  const { app, reached } = httpFixture({});
  const base = { operationId: 'op-1', revision: 0 };
  const all = { bash: 'a', web_search: 'b', web_fetch: null, xlsx: 'd', docx: 'e', pptx: 'f', pdf: null };
  assert.is((await put(app, { ...base, choices: all })).status, 200);
  assert.equal(reached.at(-1)?.args, [{ ...base, choices: all }]);
  const wrong = [
    { ...base, choices: { read_file: 'a' } },
    { ...base, choices: { 'skill-creator': 'a' } },
    { ...base, choices: { bash: '' } },
    { ...base, choices: { bash: 7 } },
    { ...base, choices: {}, administrator: true },
    { ...base, choices: {}, role: 'admin' },
    { operationId: 'op-1', choices: {} },
    { ...base, revision: -1, choices: {} },
    { ...base, revision: '0', choices: {} },
  ];
  for (const body of wrong) assert.is((await put(app, body)).status, 400, JSON.stringify(body));
  assert.is(reached.length, 1);
});

test.run();
