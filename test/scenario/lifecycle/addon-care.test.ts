/** What administrators see and set of an add-on's process; the limits are durable facts of the add-on. */

import { launchSpec } from '../../../src/commands/lifecycle/runtime-sync.js';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { installationKind } from '../../../src/projections/kinds/installation.js';
import { assert, suite } from '../../support/harness.js';
import { BROWSER, errorOf, httpFixture, ORIGIN } from '../../support/http.js';
import { inWorld } from '../../support/in-world.js';
import { ADMIN, codeOf, must, READER, type World } from '../../support/lifecycle-world.js';

const test = suite('care of an add-on');
const LIMITS = { memoryBytes: 268_435_456, cpuMillis: 500, openFiles: 256, processes: 8 };
const NONE = { memoryBytes: null, cpuMillis: null, openFiles: null, processes: null };

const launched = (world: World) => {
  const { current } = world.store.visible.get(installationKind, 'demo');
  if (current === undefined) throw new Error('not installed');
  return launchSpec(world.context(), 'demo', current).limits?.();
};

test(
  'the limits of an add-on survive a restart, an upgrade, its removal and its return',
  inWorld(async (world) => {
    await world.install('op-1');
    await world.act('enable', 'op-2');
    assert.equal(must(await world.lifecycle.addonLimits(ADMIN, 'demo')), { ...NONE, heldBy: 'rlimit' });
    assert.equal(must(await world.lifecycle.limitAddon(ADMIN, 'demo', LIMITS)), { ...LIMITS, heldBy: 'rlimit' });
    assert.equal(world.runtimes.limited, ['demo'], 'the running process is held to them');
    const kept = async () => must(await world.lifecycle.addonLimits(ADMIN, 'demo')).memoryBytes;
    must(await world.boot());
    assert.is(await kept(), LIMITS.memoryBytes);
    await world.act('upgrade', 'op-3', { sourceId: 'lib', version: '1.1.0' });
    assert.equal(launched(world), LIMITS);
    await world.act('uninstall', 'op-4');
    assert.is(codeOf(await world.lifecycle.addonLimits(ADMIN, 'demo')), 'not_found');
    await world.install('op-5');
    assert.equal(launched(world), LIMITS);
    const { cpuMillis: _, ...rest } = LIMITS;
    must(await world.lifecycle.limitAddon(ADMIN, 'demo', rest));
    assert.equal(launched(world), rest);
  }),
);

test(
  'a limit is recorded with who set it, and only when something changes',
  inWorld(async (world) => {
    await world.install('op-1');
    must(await world.lifecycle.limitAddon(ADMIN, 'demo', LIMITS));
    const { position } = world.store.journal.head();
    must(await world.lifecycle.limitAddon(ADMIN, 'demo', LIMITS));
    assert.is(world.store.journal.head().position, position);
    const [event] = world.store.journal.readStream('limits-demo');
    assert.equal([event?.type, event?.payload, event?.actor], ['AddonLimitsSet', LIMITS, ADMIN.actor]);
  }),
);

test(
  'output and limits are for administrators alone, and only of what is installed',
  inWorld(async (world) => {
    await world.install('op-1');
    assert.equal(must(await world.lifecycle.addonLog(ADMIN, 'demo')), { lines: ['a line'] });
    for (const ask of ['addonLog', 'addonLimits'] as const) {
      assert.is(codeOf(await world.lifecycle[ask](READER, 'demo')), 'denied');
      assert.is(codeOf(await world.lifecycle[ask](ADMIN, 'other')), 'not_found');
    }
    assert.is(codeOf(await world.lifecycle.limitAddon(READER, 'demo', LIMITS)), 'denied');
    assert.is(codeOf(await world.lifecycle.limitAddon(ADMIN, 'other', LIMITS)), 'not_found');
    assert.equal(world.store.journal.readStream('limits-demo'), []);
  }),
);

const put = (app: ReturnType<typeof httpFixture>['app'], body: unknown) =>
  app.request(`${ORIGIN}/api/admin/addons/demo/limits`, {
    method: 'PUT',
    headers: { Host: '127.0.0.1:8080', 'Content-Type': 'application/json', ...BROWSER },
    body: JSON.stringify(body),
  });

test('the routes answer what the owner knows, take the four limits and refuse every other body', async () => {
  const view = { ...NONE, heldBy: 'rlimit' };
  const { app, reached } = httpFixture({
    addonLog: () => right({ lines: ['one', 'two'] }),
    addonLimits: () => right(view),
    limitAddon: () => right(view),
  });
  const log = await app.request(`${ORIGIN}/api/admin/addons/demo/log`);
  assert.equal(await log.json(), { lines: ['one', 'two'] });
  assert.is(log.headers.get('cache-control'), 'private, no-store');
  assert.equal(await (await app.request(`${ORIGIN}/api/admin/addons/demo/limits`)).json(), view);
  assert.is((await put(app, { ...LIMITS, processes: null })).status, 200);
  const { processes: _, ...three } = LIMITS;
  assert.equal(reached.at(-1)?.args, ['demo', three]);
  const wrong = [
    { ...LIMITS, memoryBytes: 1 },
    { memoryBytes: '64' },
    { cpuMillis: 0 },
    { openFiles: 31 },
    { processes: 1.5 },
    { more: 1 },
    [],
    7,
  ];
  for (const body of wrong) {
    const response = await put(app, body);
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await errorOf(response)).type, 'invalid_request');
  }
  const refusing = httpFixture({ addonLog: () => left(refuse('denied', 'No.')) });
  assert.is((await refusing.app.request(`${ORIGIN}/api/admin/addons/demo/log`)).status, 403);
});

test(
  'a failed commit of a limit leaves the outcome open, and the process is not touched',
  inWorld(async (world) => {
    await world.install('op-1');
    world.storage.survive();
    world.storage.plan = { at: 1, how: 'fail' };
    const answer = await world.lifecycle.limitAddon(ADMIN, 'demo', LIMITS);
    assert.ok(isLeft(answer) && answer.left.refusal === 'outcome_unknown');
    assert.equal(world.runtimes.limited, []);
  }),
);

test.run();
