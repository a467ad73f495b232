/** Add-ons of other kinds than the fixture: a shell script with a helper, and Node behind the two-line launcher. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, right } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import { alive, envelope, eventually, openRig, type Rig, type RigOptions } from '../../support/supervisor-rig.js';

const test = suite('supervisor: kinds of add-ons');
let rig: Rig;
const open = async (options: RigOptions = {}) => {
  rig = await openRig(options);
  must(await rig.supervisor.recover(), 'recover');
  return rig;
};
test.afterEach(() => rig.close());

/** A package of the given files, the first of which is the executable. */
function specOf(id: string, files: Readonly<Record<string, string>>) {
  const packageDir = join(rig.dir, `package-${id}`);
  mkdirSync(packageDir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(packageDir, name), text, { mode: 0o755 });
  return {
    addonId: id,
    version: '1.0.0',
    generation: 1,
    packageDir,
    executable: Object.keys(files)[0] as string,
    dataDir: rig.dataDir(id),
    capabilities: {},
    verify: async () => right(undefined),
  };
}

const NODE_ADDON = `
const { createServer } = require('node:http');
const { Socket } = require('node:net');
const { writeFileSync } = require('node:fs');
let text = '';
const pipe = new Socket({ fd: 4, readable: true, writable: false });
pipe.on('end', () => process.exit(0));
pipe.on('data', (chunk) => {
  text += chunk;
  if (!text.endsWith('\\n')) return;
  const { registration } = JSON.parse(text);
  writeFileSync('seen.json', JSON.stringify({ pid: process.pid, argv: process.argv.slice(2), env: process.env }));
  createServer((_, response) => response.end(JSON.stringify(registration))).listen({ fd: 3 });
});
`;

test('a Node add-on starts through the launcher, without a PATH, in the process the owner knows [RUNTIME-013]', async () => {
  const { supervisor, file, journal } = await open();
  const launcher = `#!/bin/sh\nexec "/proc/$PPID/exe" "\${0%/*}/main.cjs" "$@"\n`;
  must(await supervisor.start(specOf('node', { run: launcher, 'main.cjs': NODE_ADDON })), 'start');
  const seen = JSON.parse(file('node', 'seen.json')) as { pid: number; argv: string[]; env: Record<string, string> };
  assert.equal(seen.argv, ['--localai-addon-v1']);
  // The shell of the launcher adds its working directory.
  const { PWD: _, ...env } = seen.env;
  assert.equal(env, { LANG: 'C', TZ: 'UTC' });
  const started = journal.readStream('process-node').find((event) => event.type === 'ProcessStarted');
  assert.is((started?.payload as { pid?: number } | undefined)?.pid, seen.pid);
  must(await supervisor.stop('node'), 'stop');
  assert.not.ok(alive(seen.pid));
});

test('what a shell add-on started and left in its group ends with it', async () => {
  const { supervisor, file } = await open({ limits: { attempts: 1 } });
  const script = '#!/bin/sh\n/bin/sleep 300 &\necho "$$ $!" > pids\ntrap "" TERM\nwhile :; do wait; done\n';
  const starting = supervisor.start(specOf('shell', { run: script }));
  const pids = await eventually('it began', () => {
    try {
      const words = file('shell', 'pids').trim().split(' ').map(Number);
      return words.length === 2 ? words : undefined;
    } catch {
      return undefined;
    }
  });
  must(await supervisor.stop('shell'), 'stop');
  await starting;
  assert.not.ok(alive(pids[0] as number));
  await eventually('the helper ended', () => !alive(pids[1] as number));
});

test('an owner whose own event loop stands still does not end an add-on that is well', async () => {
  const { supervisor, spec, client, trace } = await open({ settings: { healthTimeoutMs: 300 } });
  must(await supervisor.start(spec()), 'start');
  const { incarnation } = client();
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 130));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is(client().incarnation, incarnation);
  assert.is(trace().filter((line) => line.startsWith('start')).length, 1);
});

test('the counter add-on of the fixtures keeps every change once, over two processes', async () => {
  const { supervisor, spec, client, dataDir } = await open();
  must(await supervisor.start(spec()), 'start');
  const create = {
    resourceId: 'c-1',
    operationId: 'create-c-1',
    action: 'create',
    arguments: { tool: 'create', name: 'One' },
  };
  must(await client().apply(envelope('apply', create), { schema: 1, data: 0 }), 'create');
  const add = { resourceId: 'c-1', operationId: 'op-9', action: 'write', arguments: { tool: 'add', amount: 5 } };
  const preview = must(await client().preview(envelope('preview', add)), 'preview');
  assert.equal(preview.summary, { count: 1, sample: [{ from: 0, to: 5 }] });
  const first = must(await client().apply(envelope('apply', add), preview.revision), 'apply');
  must(await supervisor.stop('counter'), 'stop');
  must(await supervisor.start(spec()), 'start again');
  assert.equal(must(await client().receipt('op-9'), 'receipt'), first);
  assert.equal(must(await client().apply(envelope('apply', add), preview.revision), 'apply again'), first);
  const { applied } = JSON.parse(readFileSync(join(dataDir('counter'), 'state.json'), 'utf8')) as { applied: object };
  assert.equal(applied, { 'create-c-1': 1, 'op-9': 1 });
});

test.run();
