/** The two switches of the command line, by flag and by environment. */
import { Command } from 'commander';
import { addRunOptions, judge, type RawOptions } from '../../../src/cli/options.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('command line options');

function parsed(args: readonly string[], env: Readonly<Record<string, string>> = {}): RawOptions {
  const kept = { ...process.env };
  Object.assign(process.env, env);
  try {
    const command = addRunOptions(new Command('run')).action(() => {});
    command.parse([...args], { from: 'user' });
    return command.opts<RawOptions>();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, kept);
  }
}

test('a switch is on by its flag alone, and off when neither the flag nor its variable says so', () => {
  assert.is(parsed([]).localConfirmCode, false);
  assert.is(parsed(['--local-confirm-code']).localConfirmCode, true);
  assert.is(parsed(['--local-confirm-code', '--log-level', 'warn']).localConfirmCode, true);
  assert.is(parsed(['--auth']).auth, true);
});

test('a variable turns a switch on or off by what it says', () => {
  for (const [value, on] of [
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ] as const) {
    assert.is(parsed([], { CASTELLAN_LOCAL_CONFIRM_CODE: value }).localConfirmCode, on, value);
    assert.is(parsed([], { LOCALAI_AUTH: value }).auth, on, value);
  }
});

test('asking for accounts is refused in a sentence that names the flag', () => {
  const judged = judge(parsed(['--auth']));
  assert.ok(judged._tag === 'Left' && judged.left.startsWith('--auth is not available'));
});

test.run();
