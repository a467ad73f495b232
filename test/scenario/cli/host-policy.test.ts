import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';
import { MAIN, ROOT, spawnCommand } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('the host policy of a server');
const SHIPPED = join(ROOT, 'deploy/addons/host-policy.json');

/** What a start says about its decision, or why it ended. */
async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  prepare?: (data: string) => void,
) {
  const data = join(tempDir('host-policy'), 'data');
  prepare?.(data);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const run = [process.execPath, MAIN, 'run', '--data-path', data, '--address', '127.0.0.1:0'];
  try {
    const server = await spawnCommand(['/usr/bin/env', ...variables, ...run, ...args]);
    const output = server.output();
    await server.stop();
    const line = output.split('\n').find((each) => each.includes('host operations were decided')) ?? '{}';
    const { source, addons, prefixes } = JSON.parse(line) as Record<string, unknown>;
    return { decided: [source, addons, prefixes], output };
  } catch (error) {
    return { decided: undefined, output: String(error) };
  }
}

test('flag and variable select a file, and a wrong one stops the start [HOSTPOLICY-001] [HOSTPOLICY-024] [HOSTPOLICY-042]', async () => {
  const env = { LOCALAI_ADDON_HOST_POLICY: SHIPPED };
  assert.equal((await start([], env)).decided, ['policy', 6, 7]);
  assert.equal((await start([`--addon-host-policy=${SHIPPED}`])).decided, ['policy', 6, 7]);
  assert.equal((await start(['--addon-host-policy='], env)).decided, ['disabled', 0, 0]);
  const wrong = await start([], { LOCALAI_ADDON_HOST_POLICY: '/nowhere/policy.json' });
  assert.match(wrong.output, /ended with 1 before it was ready/);
  assert.match(wrong.output, /policy\.json cannot be used: it does not exist/);
});

test('host-ops replace it, empty ones too, and the flag goes before the variable [HOSTPOLICY-041] [HOSTPOLICY-034] [HOSTOPS-021]', async () => {
  const env = { LOCALAI_ADDON_HOST_POLICY: '/nowhere/policy.json', LOCALAI_ADDON_HOST_OPS: 'office=workspace.' };
  assert.equal((await start([], env)).decided, ['host-ops', 1, 1]);
  assert.equal((await start(['--addon-host-ops='], env)).decided, ['host-ops', 0, 0]);
  assert.match((await start(['--addon-host-ops=office'], env)).output, /ended with 2/);
});

test('a file that nobody selected grants nothing, wherever it lies [HOSTPOLICY-004] [HOSTPOLICY-046] [HOSTPOLICY-031] [HOSTPOLICY-033]', async () => {
  const { decided, output } = await start([], {}, (data) => {
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(SHIPPED, join(data, 'host-policy.json'));
  });
  assert.equal(decided, ['unconfigured', 0, 0]);
  assert.match(output, /no add-on may use host operations/);
});

test.run();
