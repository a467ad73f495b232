import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { castellan } from '../../support/castellan.js';
import { counterPackage } from '../../support/fixture-addon.js';
import { assert, suite } from '../../support/harness.js';
import { counterState } from '../../support/job-oracle.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, folderLibrary, type TestLibrary } from '../../support/library-server.js';
import { addLibrary, MainJob, STEPS } from '../../support/main-job.js';
import { clientOf, MAIN, ROOT, type RunningServer, spawnCommand, startServer } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('what a server takes');
const MIB = 1_048_576;
const MOST_MIB = 150;
const PACKAGE_MIB = 300;
const STREAMS = 4;
const NOBODY = 65_534;

let library: TestLibrary;
test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

function anonymousMiB(pid: number): number {
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1_024;
}

/** Samples the anonymous memory of a process until stopped, and answers the most that was seen. */
function watchMemory(pid: number): () => number {
  let most = anonymousMiB(pid);
  const timer = setInterval(() => {
    most = Math.max(most, anonymousMiB(pid));
  }, 10);
  return () => {
    clearInterval(timer);
    return Math.max(most, anonymousMiB(pid));
  };
}

/** A counter package with incompressible-looking files of 20 MiB each beside it. */
function largePackage(): string {
  const directory = join(tempDir('large'), 'counter');
  counterPackage(directory);
  mkdirSync(join(directory, 'ballast'));
  const chunk = Buffer.alloc(20 * MIB, 'ballast ');
  for (let index = 0; index < PACKAGE_MIB / 20; index += 1) {
    chunk.writeUInt32LE(index);
    writeFileSync(join(directory, 'ballast', `${index}.bin`), chunk);
  }
  return directory;
}

async function openStream(address: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${address}/api/events`, { signal });
  assert.is(response.status, 200);
  const reader = response.body?.getReader();
  const drain = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return;
  };
  drain().catch(() => {});
}

test('its own memory stays under 150 MiB while a 300 MiB package is staged and four clients hold streams', async () => {
  const large = await folderLibrary(largePackage());
  const data = tempDir('memory');
  const server = await startServer(data, ARGS);
  const streams = new AbortController();
  try {
    await addLibrary(data, large.url);
    for (let index = 0; index < STREAMS; index += 1) await openStream(server.address, streams.signal);
    const stop = watchMemory(server.pid);
    const order = { addonId: 'counter', operationId: 'install-1', action: 'install' };
    const wanted = { sourceId: 'mine', version: '1.0.0' };
    const installed = await clientOf(server.address).dispatch({ ...order, arguments: wanted });
    const most = stop();
    assert.is(installed.status, 200, JSON.stringify(installed.body));
    assert.ok(large.served() > PACKAGE_MIB * MIB, 'the whole package was fetched');
    assert.ok(most < MOST_MIB, `${most.toFixed(0)} MiB of anonymous memory`);
    console.log(`at most ${most.toFixed(0)} MiB`);
  } finally {
    streams.abort();
    await server.stop('SIGKILL');
    await large.close();
  }
}, 180_000);

test('a data path of more than 150 characters works from end to end, its control socket and command line too', async () => {
  const data = join(tempDir('long'), 'x'.repeat(80), 'y'.repeat(80));
  assert.ok(data.length > 150);
  const server = await startServer(data, ARGS);
  try {
    const job = new MainJob(data, library.url);
    await job.run(server.address);
    assert.equal([...job.acknowledged], [...STEPS]);
    const listed = await castellan(data, 'library', 'list', '--json');
    assert.match(listed.out, /"id":"mine"/, listed.err);
    assert.match((await castellan(data, 'journal', 'replay')).out, /live state: equal/);
  } finally {
    await server.stop('SIGTERM');
  }
});

const unprivilegedUser = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** These packages and all that they depend on, as far as it is installed. */
function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    const described = join(ROOT, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(described)) return;
    found.add(name);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(described, 'utf8'));
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) add(next);
  };
  for (const name of names) add(name);
  return found;
}

/** The command where a user without rights can read it: where it is, or a copy when the checkout lies in a closed folder. */
function readableCommand(): string {
  const look = `require('node:fs').readFileSync(${JSON.stringify(MAIN)})`;
  if (spawnSync(process.execPath, ['-e', look], { cwd: '/', ...unprivilegedUser() }).status === 0) return MAIN;
  const copy = tempDir('readable');
  chmodSync(copy, 0o755);
  for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  // All else is joined into the command.
  for (const name of withDependencies(['lmdb', 'koffi']))
    cpSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name), { recursive: true });
  return join(copy, 'dist/cli/main.js');
}

/** The server as a user without rights when this is root, and as this user else. */
async function unprivileged(data: string): Promise<RunningServer> {
  const line = [process.execPath, readableCommand(), 'run', '--data-path', data, '--address', '127.0.0.1:0', ...ARGS];
  if (process.getuid?.() !== 0) return spawnCommand(line);
  chmodSync(data, 0o700);
  chownSync(data, NOBODY, NOBODY);
  return spawnCommand(line, unprivilegedUser());
}

test('it needs no rights: the whole job runs as an unprivileged user', async () => {
  const data = tempDir('nobody');
  const server = await unprivileged(data);
  try {
    assert.not.match(readFileSync(`/proc/${server.pid}/status`, 'utf8'), /^Uid:\s+0\s/m);
    const job = new MainJob(data, library.url);
    await job.run(server.address);
    assert.equal([...job.acknowledged], [...STEPS]);
    assert.is(counterState(data).applied['add-1'], 1);
    assert.is(await server.stop('SIGTERM'), 0, server.output());
  } finally {
    server.child.kill('SIGKILL');
  }
});

test.run();
