/**
 * The runtime with fifty add-ons turned on: how much later the server is ready than with none, how long all of them take
 * against a shell script that starts the same processes four at a time, and what a call through the client costs.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS } from '../../dist/modules/contract/limits.js';
import { renderIndex } from '../../dist/modules/packages/builder/index-writer.js';
import { buildPackage } from '../../dist/modules/packages/builder/package-build.js';
import { Deadlines } from '../../dist/modules/process/deadlines.js';
import { BoundClient } from '../../dist/modules/process/runtime-client.js';
import { ended, MAIN, startCastellan, started } from './server-support.mjs';
import { atLeast, atMost, median, ratio, withDirectory } from './support.mjs';

const ADDONS = 50;
const ROUNDS = 5;
const CALLS_MS = 3_000;
const TINY = fileURLToPath(new URL('../fixtures/addons/tiny/addon.py', import.meta.url));
const ids = Array.from({ length: ADDONS }, (_, index) => `tiny-${index}`);

const manifest = (id) => ({
  schemaVersion: 1,
  id,
  version: '1.0.0',
  executable: 'addon.py',
  os: 'linux',
  arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
  host: { min: 1, max: 1 },
  api: { min: 1, max: 2 },
  protocol: { min: 1, max: 1 },
  dataFormat: { min: 1, max: 1 },
  capabilities: { service: true, tools: [] },
});

async function library(directory) {
  const files = new Map();
  const server = createServer((asked, response) => response.end(files.get(asked.url)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const entries = [];
  for (const id of ids) {
    const folder = join(directory, 'packages', id);
    mkdirSync(folder, { recursive: true });
    cpSync(TINY, join(folder, 'addon.py'));
    chmodSync(join(folder, 'addon.py'), 0o755);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest(id)));
    const built = await buildPackage(folder, join(directory, `${id}.tar`));
    if (built._tag === 'Left') throw new Error(built.left);
    files.set(`/${id}.tar`, readFileSync(join(directory, `${id}.tar`)));
    entries.push({ manifest: built.right.manifest, digest: built.right.digest, artifact: `${origin}/${id}.tar` });
  }
  files.set('/index.yaml', renderIndex(entries).right);
  return { url: `${origin}/index.yaml`, close: () => server.close() };
}

/** A root on which all of them are installed and turned on. */
async function furnished(directory, url) {
  const data = join(directory, 'fifty');
  const add = ['library', 'add', '--id', 'bench', '--url', url, '--allow-loopback-http', '--data-path', data];
  execFileSync(process.execPath, [MAIN, ...add], { stdio: 'ignore' });
  const { child, address } = await startCastellan(data);
  const dispatch = async (asked) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${address}/api/addons/dispatch`, {
      method: 'POST',
      headers,
      body: JSON.stringify(asked),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
  };
  const wanted = { sourceId: 'bench', version: '1.0.0' };
  for (const addonId of ids) {
    await dispatch({ addonId, operationId: `in-${addonId}`, action: 'install', arguments: wanted });
    await dispatch({ addonId, operationId: `on-${addonId}`, action: 'enable', arguments: {} });
  }
  await ended(child);
  return data;
}

async function allRunning(address) {
  for (;;) {
    const { apps } = await (await fetch(`${address}/api/addons/apps`)).json();
    if (apps.filter(({ state }) => state === 'running').length === ADDONS) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The same processes, four at a time: each is started, and the next one when it runs. */
function byShell(directory) {
  const home = join(directory, 'shell');
  const line = join(directory, 'line');
  writeFileSync(line, '{"registration":{"addonId":"stubborn"},"credential":"x"}\n');
  for (const id of ids) mkdirSync(join(home, id), { recursive: true });
  const script = `cd ${home}/$0 && rm -f trace.log
${directory}/packages/$0/addon.py --localai-addon-v1 3</dev/null 4<${line} >/dev/null 2>&1 &
while [ ! -s trace.log ]; do sleep 0.005; done`;
  const from = performance.now();
  execFileSync('xargs', ['-P', '4', '-I', '{}', 'sh', '-c', script, '{}'], { input: `${ids.join('\n')}\n` });
  const ms = performance.now() - from;
  for (const id of ids) {
    const pid = /start (\d+)/.exec(readFileSync(join(home, id, 'trace.log'), 'utf8'))?.[1];
    process.kill(Number(pid), 'SIGKILL');
  }
  return ms;
}

async function starts(directory) {
  const source = await library(directory);
  const data = await furnished(directory, source.url);
  source.close();
  const none = join(directory, 'none');
  await ended((await startCastellan(none)).child);
  const times = { fifty: [], none: [], all: [], shell: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const empty = await startCastellan(none);
    times.none.push(empty.ms);
    await ended(empty.child);
    const full = await startCastellan(data);
    times.fifty.push(full.ms);
    const from = performance.now();
    await allRunning(full.address);
    times.all.push(performance.now() - from);
    await ended(full.child);
    times.shell.push(byShell(directory));
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

const ECHO = `
import { createServer } from 'node:http';
createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => { response.setHeader('Content-Type', 'application/json'); response.end('{"payload":{"ok":true}}'); });
}).listen(0, '127.0.0.1', function () { console.log('listening http://127.0.0.1:' + this.address().port); });
`;

const clock = {
  now: () => new Date(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** One call with the least that is correct: a kept connection, the whole answer, its JSON. */
function bare(port, agent, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/read', agent, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function perSecond(call) {
  let count = 0;
  const until = performance.now() + CALLS_MS;
  const caller = async () => {
    for (; performance.now() < until; count += 1) await call();
  };
  await Promise.all(Array.from({ length: DEFAULT_LIMITS.concurrency }, caller));
  return (count * 1_000) / CALLS_MS;
}

async function calls(directory) {
  const script = join(directory, 'echo.mjs');
  writeFileSync(script, ECHO);
  const echo = await started([script], /listening (\S+)/);
  const port = Number(new URL(echo.address).port);
  const registration = {
    protocol: 1,
    addonId: 'echo',
    version: '1.0.0',
    generation: 1,
    incarnation: 'f'.repeat(32),
    endpoint: echo.address,
    capabilities: {},
  };
  const deadlines = new Deadlines(clock, () => performance.now());
  const client = new BoundClient({
    registration,
    credential: 'x'.repeat(43),
    endpoint: { host: '127.0.0.1', port },
    limits: DEFAULT_LIMITS,
    clock,
    deadlines,
  });
  const envelope = {
    request: {
      addonId: 'echo',
      operationId: 'read-1',
      generation: 1,
      action: 'read',
      arguments: { tool: 'say', word: 'x' },
    },
    authority: {
      actor: { userId: 'u', credentialId: 'c', mode: 'local-owner' },
      scope: 'read',
      expiresAt: '2099-01-01T00:00:00Z',
    },
  };
  const body = JSON.stringify(envelope);
  const agent = new Agent({ keepAlive: true, maxSockets: DEFAULT_LIMITS.concurrency });
  const through = async () => {
    if ((await client.read(envelope))._tag === 'Left') throw new Error('a call failed');
  };
  const direct = () => bare(port, agent, body);
  await perSecond(through);
  await perSecond(direct);
  const rounds = { through: [], direct: [] };
  for (let round = 0; round < 3; round += 1) {
    rounds.direct.push(await perSecond(direct));
    rounds.through.push(await perSecond(through));
  }
  client.withdraw('done');
  agent.destroy();
  await ended(echo.child);
  return { through: median(rounds.through), direct: median(rounds.direct) };
}

export const run = () =>
  withDirectory(async (directory) => {
    const { fifty, none, all, shell } = await starts(directory);
    const { through, direct } = await calls(directory);
    return [
      ratio(
        'ms later ready with 50 add-ons than with none',
        fifty - none,
        atMost(100),
        `${Math.round(fifty)} and ${Math.round(none)} ms, medians`,
      ),
      ratio(
        'time until 50 run to a shell script, four at a time',
        all / shell,
        atMost(1.5),
        `${Math.round(all)} and ${Math.round(shell)} ms, medians`,
      ),
      ratio(
        'calls through the client to a bare keep-alive client',
        through / direct,
        atLeast(0.6),
        `${Math.round(through)} and ${Math.round(direct)} a second`,
      ),
    ];
  });
