import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostOpsChoice, hostGrantsOf, hostOpsChoice } from '../../../src/cli/host-policy.js';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import { recordingLog } from '../../support/supervisor-rig.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('choice of the host policy');
const directory = tempDir('policy');
const POLICY = join(directory, 'policy.json');
writeFileSync(
  POLICY,
  '{"schemaVersion":1,"grants":{"sandbox":["workspace.","egress."],"secret-addon":["workspace."]}}',
);

const chosen = (ops: string | undefined, policy: string | undefined): HostOpsChoice => {
  const choice = hostOpsChoice(ops, policy);
  if (isLeft(choice)) throw new Error(choice.left);
  return choice.right;
};

/** The grants as an object, or why the start stops; and what was logged. */
async function decided(choice: HostOpsChoice) {
  const logged: Parameters<typeof recordingLog>[0] = [];
  const grants = await hostGrantsOf(choice, recordingLog(logged));
  return { grants: isLeft(grants) ? grants.left : Object.fromEntries(grants.right), logged: JSON.stringify(logged) };
}

test('host-ops wins by being set, even when empty, and its policy is not opened [HOSTPOLICY-018] [HOSTPOLICY-019] [HOSTPOLICY-022] [HOSTPOLICY-023]', async () => {
  for (const [ops, grants] of [
    ['office=workspace.', { office: ['workspace.'] }],
    ['', {}],
  ] as const) {
    const { grants: found, logged } = await decided(chosen(ops, '/nowhere/policy.json'));
    assert.equal(found, grants);
    assert.match(logged, /ignored and was not opened/);
  }
  assert.not.match((await decided(chosen('', undefined))).logged, /ignored/);
});

test('else the policy gives all grants, else nobody has any [HOSTPOLICY-020] [HOSTPOLICY-021] [HOSTPOLICY-025] [HOSTOPS-021]', async () => {
  const { grants, logged } = await decided(chosen(undefined, POLICY));
  assert.equal(grants, { sandbox: ['workspace.', 'egress.'], 'secret-addon': ['workspace.'] });
  assert.match(logged, /"source":"policy","addons":2,"prefixes":3/);
  assert.equal((await decided(chosen(undefined, undefined))).grants, {});
  assert.equal((await decided(chosen(undefined, ''))).grants, {});
});

test('the log names the source and counts, and warns only when nothing was decided [HOSTPOLICY-026] [HOSTPOLICY-032]', async () => {
  assert.not.match((await decided(chosen(undefined, POLICY))).logged, /secret-addon|egress|policy\.json/);
  assert.match((await decided(chosen(undefined, undefined))).logged, /no add-on may use host operations/);
  for (const decision of [chosen('', undefined), chosen(undefined, ''), chosen(undefined, POLICY)])
    assert.not.match((await decided(decision)).logged, /no add-on may use/);
});

test('the path is absolute and names a readable regular file of at most 64 KiB, or a link to one [HOSTPOLICY-002] [HOSTPOLICY-005] [HOSTPOLICY-024] [HOSTPOLICY-040]', async () => {
  const relative = hostOpsChoice(undefined, 'deploy/addons/host-policy.json');
  assert.match(isLeft(relative) ? relative.left : '', /--addon-host-policy must be an absolute path/);
  const at = (name: string) => join(directory, name);
  symlinkSync(POLICY, at('link.json'));
  assert.type((await decided(chosen(undefined, at('link.json')))).grants, 'object');
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('fifo')]);
  writeFileSync(at('large.json'), `{"schemaVersion":1,"grants":{}}${' '.repeat(65_536)}`);
  writeFileSync(at('wrong.json'), '{"schemaVersion":1,"grants":{"sandbox":["workspace"]}}');
  symlinkSync(at('none'), at('dangling'));
  for (const [name, why] of Object.entries({
    folder: /not a regular file/,
    fifo: /not a regular file/,
    'large.json': /over 65536 bytes/,
    'wrong.json': /no prefix of operations/,
    dangling: /does not exist/,
    missing: /does not exist/,
  })) {
    const { grants } = await decided(chosen(undefined, at(name)));
    assert.type(grants, 'string', name);
    assert.match(grants as string, why);
    assert.match(grants as string, /did not start/);
  }
});

test('a wrong pair is refused with the name of the flag', () => {
  const choice = hostOpsChoice('sandbox', undefined);
  assert.match(isLeft(choice) ? choice.left : '', /^--addon-host-ops: "sandbox"/);
});

test.run();
