/** What the provider of commands says of itself: only of the one that serves now, and only as long as it does. */

import { left, right } from '../../../src/contract/fp.js';
import { type Commands, ISOLATED, withCommands } from '../../support/command-providers.js';
import { assert, suite } from '../../support/harness.js';
import { httpFixture, ORIGIN } from '../../support/http.js';
import { ADMIN, codeOf, must } from '../../support/lifecycle-world.js';

const test = suite('execution status');

const observe = async ({ world }: Commands) => must(await world.lifecycle.providers.execution(ADMIN));
let serial = 0;
async function choose({ world }: Commands, addonId: string | null): Promise<void> {
  const { revision } = must(await world.lifecycle.providers.view(ADMIN));
  serial += 1;
  const operationId = `choice-${serial}`;
  must(await world.lifecycle.providers.change(ADMIN, { operationId, revision, choices: { bash: addonId } }));
}
const UNKNOWN = { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false };

test(
  'the selected provider is asked, by the status tool it declares, as the administrator who asked',
  withCommands(async (commands) => {
    commands.answer = { ...ISOLATED, explanation: 'Commands run in a box.', networkPolicyEnforced: true };
    const seen = await observe(commands);
    assert.equal(seen, {
      provider: { addonId: 'demo', generation: 1, incarnation: 'demo-1' },
      status: commands.answer,
    });
    const [envelope] = commands.asked;
    assert.equal(envelope?.request.arguments, { tool: 'execution-status' });
    assert.equal([envelope?.request.addonId, envelope?.authority.scope], ['demo', 'read']);
    assert.equal(envelope?.authority.actor, ADMIN.actor);
  }),
);

test(
  'a report of isolation alone does not say that the network policy holds [OBSERVE-032]',
  withCommands(async (commands) => {
    assert.equal((await observe(commands)).status, { ...ISOLATED, networkPolicyEnforced: false });
    commands.answer = { readiness: 'available', isolation: 'host', networkPolicyEnforced: true };
    assert.is((await observe(commands)).status.networkPolicyEnforced, false);
  }),
);

test(
  'an add-on that was chosen but does not run is not replaced by another [OBSERVE-004]',
  withCommands(async (commands) => {
    await choose(commands, 'other');
    await commands.world.act('disable', 'op-9', {}, 'other');
    const seen = await observe(commands);
    assert.equal([seen.provider, seen.status], [undefined, UNKNOWN]);
    assert.match(seen.reason ?? '', 'the built-in tool serves');
    assert.is(commands.asked.length, 0);
  }),
);

test(
  'a choice made through the owner counts for the status at the next request, as it does for who serves [OBSERVE-005]',
  withCommands(async (commands) => {
    const who = async () => (await observe(commands)).provider?.addonId;
    assert.is(await who(), 'demo');
    await choose(commands, 'other');
    assert.is(await who(), 'other');
    const serving = must(await commands.world.lifecycle.providers.view(ADMIN)).tools[0]?.serving;
    assert.is(serving, 'other');
  }),
);

test(
  'when it is not known which choices hold, no add-on is asked and nothing is told [OBSERVE-006]',
  withCommands(async (commands) => {
    const { world } = commands;
    world.storage.survive();
    world.storage.plan = { at: 1, how: 'fail' };
    const change = { operationId: 'choice-lost', revision: 0, choices: { bash: 'other' } };
    assert.is(codeOf(await world.lifecycle.providers.change(ADMIN, change)), 'outcome_unknown');
    assert.is(codeOf(await world.lifecycle.providers.execution(ADMIN)), 'fenced');
    assert.is(commands.asked.length, 0);
  }),
);

test(
  'a choice that changes while the add-on answers withdraws what it said, and the next request is answered [OBSERVE-007] [OBSERVE-014] [OBSERVE-015]',
  withCommands(async (commands) => {
    commands.during = () => choose(commands, 'other');
    const seen = await observe(commands);
    assert.equal([seen.provider?.addonId, seen.status], ['other', UNKNOWN]);
    assert.match(seen.reason ?? '', 'changed while');
    commands.during = async () => undefined;
    assert.equal((await observe(commands)).status.isolation, 'isolated');
  }),
);

test(
  'the rights of the caller are looked up before the question and again before the answer is shown [OBSERVE-012]',
  withCommands(async (commands) => {
    const { world } = commands;
    commands.during = async () => {
      world.administrators = async () => right(false);
    };
    assert.is(codeOf(await world.lifecycle.providers.execution(ADMIN)), 'denied');
    assert.is(commands.asked.length, 1);
    assert.is(codeOf(await world.lifecycle.providers.execution(ADMIN)), 'denied');
    assert.is(commands.asked.length, 1, 'no second question');
  }),
);

test(
  'an answer counts for the generation and the process that were asked, and for no other [OBSERVE-013]',
  withCommands(async (commands) => {
    const { world } = commands;
    commands.during = async () => {
      await world.act('disable', 'op-9');
      await world.act('enable', 'op-10');
    };
    const process = await observe(commands);
    assert.equal([process.provider?.incarnation, process.status], ['demo-2', UNKNOWN]);
    commands.during = async () => void (await world.act('upgrade', 'op-11', { sourceId: 'lib', version: '1.1.0' }));
    const generation = await observe(commands);
    assert.equal([generation.provider?.generation, generation.status], [2, UNKNOWN]);
    commands.during = async () => undefined;
    assert.is((await observe(commands)).status.isolation, 'isolated');
  }),
);

test(
  'each request asks anew; nothing that an add-on said is kept for the next [OBSERVE-018]',
  withCommands(async (commands) => {
    await observe(commands);
    commands.answer = { readiness: 'unavailable', isolation: 'unknown' };
    assert.is((await observe(commands)).status.readiness, 'unavailable');
    assert.is(commands.asked.length, 2);
  }),
);

test(
  'what is no status, too long or marked up is unknown with the reason, and nothing of it is shown [OBSERVE-025] [OBSERVE-033]',
  withCommands(async (commands) => {
    const wrong = [
      { ...ISOLATED, explanation: '<b>Safe</b>' },
      { ...ISOLATED, explanation: 'x'.repeat(201) },
      { ...ISOLATED, explanation: 'turned \u202e round' },
      { ...ISOLATED, ok: true },
      { readiness: 'available' },
      'isolated',
      null,
    ];
    for (const answer of wrong) {
      commands.answer = answer;
      const { status, reason } = await observe(commands);
      assert.equal(status, UNKNOWN, JSON.stringify(answer));
      assert.ok(reason !== undefined && reason.length <= 512);
    }
    commands.world.runtimes.reader = async () => left({ kind: 'timeout' });
    assert.equal((await observe(commands)).status, UNKNOWN);
    commands.world.runtimes.running.clear();
    const seen = await observe(commands);
    assert.equal([seen.provider, seen.status], [undefined, UNKNOWN], 'installed, and no authority');
  }),
);

test('a request for the status can say nothing about whom or what to ask [OBSERVE-002]', async () => {
  const { app, reached } = httpFixture({});
  const ask = (query: string) => app.request(`${ORIGIN}/api/admin/execution-status${query}`);
  for (const name of ['provider', 'addonId', 'tools', 'incarnation', 'grants', 'consent', 'conversationId'])
    assert.is((await ask(`?${name}=x`)).status, 400, name);
  assert.is(reached.length, 0);
  assert.is((await ask('')).status, 200);
  assert.equal(reached[0]?.args, []);
});

test.run();
