/** The flags of `castellan run` and their variables: what each says, and how a wrong one is refused. */
import { Command, CommanderError } from 'commander';
import { addRunOptions, judge, type RawOptions, type RunOptions } from '../../../src/cli/options.js';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('run options');

/** The judged options; a string says how the line was refused. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunOptions | string {
  const command = addRunOptions(new Command('run'))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  } finally {
    process.env = before;
  }
  const judged = judge(command.opts<RawOptions>());
  return isLeft(judged) ? judged.left : judged.right;
}

const right = (args: readonly string[], env?: Readonly<Record<string, string>>): RunOptions => {
  const options = run(args, env);
  if (typeof options === 'string') throw new Error(options);
  return options;
};
const refused = (args: readonly string[], env?: Readonly<Record<string, string>>): string => {
  const options = run(args, env);
  return typeof options === 'string' ? options : '';
};

test('a switch stands alone or says yes or no', () => {
  assert.is(right([]).localConfirmCode, false);
  assert.is(right([]).officialLibrary, true);
  assert.is(right(['--local-confirm-code']).localConfirmCode, true);
  assert.is(right(['--local-confirm-code=no']).localConfirmCode, false);
  assert.is(right(['--addons-official-library=false']).officialLibrary, false);
  assert.is(right(['--addons-official-library', 'false']).officialLibrary, false);
});

test('a variable of a switch says yes or no, and 0 turns nothing on', () => {
  for (const [value, on] of [
    ['1', true],
    ['TRUE', true],
    ['0', false],
    ['false', false],
    ['off', false],
  ] as const) {
    assert.is(right([], { CASTELLAN_LOCAL_CONFIRM_CODE: value }).localConfirmCode, on, value);
    assert.is(right([], { LOCALAI_ADDONS_OFFICIAL_LIBRARY: value }).officialLibrary, on, value);
  }
  assert.ok(right([], { LOCALAI_AUTH: 'false' }));
  assert.is(right(['--local-confirm-code'], { CASTELLAN_LOCAL_CONFIRM_CODE: '0' }).localConfirmCode, true);
});

test('a switch that says neither is refused by name', () => {
  assert.match(refused(['--addons-official-library=maybe']), /--addons-official-library.*yes or no/);
  assert.match(refused([], { CASTELLAN_LOCAL_CONFIRM_CODE: 'maybe' }), /CASTELLAN_LOCAL_CONFIRM_CODE.*yes or no/);
  assert.match(refused([], { CASTELLAN_LOCAL_CONFIRM_CODE: '' }), /CASTELLAN_LOCAL_CONFIRM_CODE.*yes or no/);
});

test('accounts are refused in words, whichever way they are asked for', () => {
  assert.match(refused(['--auth']), /--auth is not available/);
  assert.match(refused([], { LOCALAI_AUTH: 'on' }), /--auth is not available/);
});

test('an empty data path is refused and not taken for the present folder', () => {
  assert.match(refused(['--data-path', '']), /--data-path.*empty/);
  assert.match(refused([], { LOCALAI_DATA_PATH: '' }), /LOCALAI_DATA_PATH.*empty/);
});

test('only a literal loopback address or localhost listens without a word about the network', () => {
  for (const address of ['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1'])
    assert.ok(right(['--address', address]));
  for (const address of ['0.0.0.0:1', '[::]:1', '127.300.1.1:1', '10.0.0.1:1', 'example.org:1'])
    assert.match(refused(['--address', address]), /--allow-unauthenticated-network/);
  for (const address of ['', '8080', '127.0.0.1', '127.0.0.1:65536', '::1:80'])
    assert.match(refused(['--address', address]), /--address must be HOST:PORT/);
});

test.run();
