/** Reads that the owner answers itself, and reads it lets through only with a credential of the person. */

import { createProposals } from '../../../src/commands/proposals/index.js';
import type { CredentialBinding } from '../../../src/contract/credential-check.js';
import type { JsonObject } from '../../../src/contract/json.js';
import type { Manifest } from '../../../src/contract/manifest-types.js';
import { errorOf } from '../../../src/contract/refusal.js';
import { installedTables, local, must, person, refused, World } from '../../support/gateway-world.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('listing tool and credentials');

const read = (world: World, args: JsonObject, caller = local(), more: object = {}) =>
  world.proposals.read(caller, {
    value: { addonId: 'tables', operationId: 'read-1', generation: 1, action: 'read', arguments: {}, ...more },
    rawArguments: JSON.stringify(args),
  });

/** The installed add-on with more capabilities. */
function declaring(more: JsonObject) {
  const installed = installedTables();
  const capabilities = { ...installed.manifest.capabilities, ...more };
  const manifest = { ...installed.manifest, capabilities, raw: { capabilities } } as unknown as Manifest;
  return { ...installed, manifest };
}

async function listing() {
  const world = await World.open();
  const mine = [await world.database(person('ada')), await world.database(person('ada'), 'Other')];
  const hers = await world.database(person('bob'));
  world.installed = declaring({
    resources: { inspect: 'inspect', list: { tool: 'databases-list', items: 'databases' } },
  });
  world.addon.reads.length = 0;
  return { world, mine: mine.sort(), hers };
}

test('the listing is made of the records of the owner, for the person who calls, and the add-on is not called [LISTING-002]', async () => {
  const { world, mine, hers } = await listing();
  const entry = (resourceId: string) => ({ resourceId, role: 'owner' });
  const list = (who: string) => read(world, { tool: 'databases-list' }, person(who));
  assert.equal(must(await list('ada')).payload, { databases: mine.map(entry), truncated: false });
  assert.equal(must(await list('bob')).payload, { databases: [entry(hers)], truncated: false });
  assert.equal(must(await list('eve')).payload, { databases: [], truncated: false });
  assert.is(world.addon.reads.length, 0);
});

test('the listing takes nothing, and another name is no listing [LISTING-007] [LISTING-015]', async () => {
  const { world, mine } = await listing();
  const ada = person('ada');
  refused(await read(world, { tool: 'databases-list', limit: 5 }, ada), 'invalid_request', 400);
  refused(await read(world, { tool: 'databases-list' }, ada, { resourceId: mine[0] }), 'invalid_request', 400);
  refused(await read(world, { Tool: 'databases-list' }, ada), 'denied', 403);
  refused(await read(world, { tool: 'databases-lists' }, ada), 'denied', 403);
  world.installed = installedTables();
  refused(await read(world, { tool: 'databases-list' }, ada), 'denied', 403);
});

test('there is no listing while the add-on is off or does not run [LISTING-012]', async () => {
  const { world } = await listing();
  const ask = () => read(world, { tool: 'databases-list' }, person('ada'));
  world.addon.up = false;
  refused(await ask(), 'unavailable', 503);
  world.addon.up = true;
  must(await ask());
  if (world.installed !== undefined) world.installed = { ...world.installed, enabled: false };
  refused(await ask(), 'unavailable', 503);
});

const ISSUES = {
  name: 'issues-list',
  kind: 'read',
  description: 'issues',
  inputSchema: { type: 'object', properties: { repo: { type: 'string' } }, required: ['repo'] },
};

async function credentials(bindings: readonly CredentialBinding[] | undefined) {
  const world = await World.open();
  world.installed = declaring({
    tools: ['issues-list'],
    toolDefinitions: [ISSUES] as unknown as JsonObject[],
    credentials: [{ id: 'token', title: 'Token', kind: 'token', resourceArgument: 'repo' }],
  });
  if (bindings !== undefined)
    world.proposals = createProposals(
      { ...world.context(), bindings: (actor) => (actor.userId === 'ada' ? bindings : []) },
      () => world.installed,
    );
  return world;
}

const BINDINGS = [
  { secret: 'first-secret', resources: [{ name: 'Acme/Web', id: 'res-1' }] },
  {
    secret: 'second-secret',
    resources: [
      { name: 'acme/web', id: 'res-2' },
      { name: 'acme/api', id: 'res-3' },
    ],
  },
];

test('a person who bound nothing to an add-on that needs a credential is told so, and it is not called [CREDENTIAL-015]', async () => {
  for (const bindings of [undefined, BINDINGS]) {
    const world = await credentials(bindings);
    const refusal = refused(
      await read(world, { tool: 'issues-list', repo: 'acme/web' }, person('bob')),
      'no_credential',
      403,
    );
    assert.is(errorOf(refusal).body.error.code, 'no_credential');
    assert.is(world.addon.reads.length, 0);
  }
});

test('a name on no list is refused with the names that are, and the add-on is not called [CREDENTIAL-011]', async () => {
  const world = await credentials(BINDINGS);
  for (const repo of ['acme/other', 'acme/web ', '']) {
    const refusal = refused(
      await read(world, { tool: 'issues-list', repo }, person('ada')),
      'resource_not_allowed',
      403,
    );
    const { code, allowed } = errorOf(refusal).body.error;
    assert.equal([code, allowed], ['resource_not_allowed', ['Acme/Web', 'acme/web', 'acme/api']]);
    assert.not.match(JSON.stringify(errorOf(refusal)), 'secret');
  }
  assert.is(world.addon.reads.length, 0);
});

test('a name is matched without case, and the first binding that lists it is used [CREDENTIAL-010] [CREDENTIAL-012] [CREDENTIAL-013]', async () => {
  const world = await credentials(BINDINGS);
  must(await read(world, { tool: 'issues-list', repo: 'ACME/WEB' }, person('ada')));
  must(await read(world, { tool: 'issues-list', repo: 'acme/API' }, person('ada')));
  const carried = world.addon.reads.map(({ request }) => [request.credential, request.resourceKey, request.resourceId]);
  assert.equal(carried, [
    ['first-secret', 'Acme/Web', 'res-1'],
    ['second-secret', 'acme/api', 'res-3'],
  ]);
  assert.not.match(JSON.stringify(world.log), 'secret');
});

test('an add-on that limits its calls is told with the seconds to wait', async () => {
  const world = await World.open();
  world.addon.readFault = { kind: 'busy', retryAfter: 7 };
  const refusal = refused(await read(world, { tool: 'my-things' }), 'busy', 429);
  const { code, retryAfter, message } = errorOf(refusal).body.error;
  assert.equal([code, retryAfter], ['rate_limited', 7]);
  assert.match(message, 'Do not repeat the call before');
});

test.run();
