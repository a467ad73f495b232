/**
 * Installs of a large package and of one of many small files, as an image of one layer, against `openssl dgst -sha256`, `tar x` and
 * `sync -f` of the same bytes on the same disk; the memory of the server meanwhile, and how fast it answers others. Nothing is
 * deleted before the end: an ext4 without a journal looks at every inode freed in the last minutes before it makes a file, which
 * makes whoever comes later up to ten times slower.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { ended, MAIN, startCastellan, started } from './server-support.mjs';
import { atMost, ratio, withDirectory } from './support.mjs';

const MIB = 1_048_576;
const ROUNDS = 3;
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/** A registry and its library in a process of its own: what it takes is not the server's. */
const REGISTRY = `
const { createServer } = require('node:http');
const { createReadStream, readFileSync, statSync } = require('node:fs');
const [directory] = process.argv.slice(1);
createServer((request, response) => {
  const name = request.url.slice(1).replace(/[^a-z0-9.]/g, '-');
  const path = directory + '/' + name;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return response.writeHead(404).end();
  const type = name.includes('manifests') ? { 'content-type': '${MANIFEST}' } : {};
  response.writeHead(200, { ...type, 'content-length': statSync(path).size });
  createReadStream(path, { highWaterMark: 1048576 }).pipe(response);
}).listen(0, '127.0.0.1', function () { console.log('listening http://127.0.0.1:' + this.address().port); });
`;

const sha256 = async (path) => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
};

/** The folder of a package of `count` files of `size` bytes. */
function folderOf(directory, id, count, size) {
  const folder = join(directory, id);
  mkdirSync(join(folder, 'data'), { recursive: true });
  const range = { min: 1, max: 1 };
  const manifest = { schemaVersion: 1, id, version: '1.0.0', executable: 'run', os: 'linux', arch };
  const fits = { host: range, api: { min: 1, max: 2 }, protocol: range, dataFormat: range };
  const whole = { ...manifest, ...fits, capabilities: { service: true } };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(whole));
  writeFileSync(join(folder, 'run'), '#!/bin/sh\n', { mode: 0o755 });
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < count; at++) {
    for (let i = 0; i + 4 <= size; i += 4096) bytes.writeUInt32LE((at * 2_654_435_761 + i) >>> 0, i);
    writeFileSync(join(folder, 'data', `file-${at}`), bytes);
  }
  return folder;
}

/** Lays the image of a folder where the registry finds it, and answers its layer and its entry in the library. */
async function imageOf(directory, files, id, count, size) {
  const folder = folderOf(directory, id, count, size);
  const tar = join(directory, `${id}.tar`);
  execFileSync('tar', ['-C', folder, '--format=ustar', '-cf', tar, 'manifest.json', 'run', 'data']);
  const config = JSON.stringify({ os: 'linux', architecture: arch });
  const put = (kind, digest, bytes) =>
    writeFileSync(join(files, `v2-acme-${id}-${kind}-${digest.replace(':', '-')}`), bytes);
  const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const layer = await sha256(tar);
  execFileSync('ln', [tar, join(files, `v2-acme-${id}-blobs-${layer.replace(':', '-')}`)]);
  put('blobs', digestOf(config), config);
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: layer, size: statSync(tar).size }],
  });
  put('manifests', digestOf(text), text);
  return { id, tar, digest: digestOf(text) };
}

/** The three programs, one after the other, in seconds. */
function byHand(directory, tar, round) {
  const into = join(directory, `${basename(tar)}-by-hand-${round}`);
  mkdirSync(into);
  execFileSync('sync', ['-f', directory]);
  const from = performance.now();
  execFileSync('openssl', ['dgst', '-sha256', tar]);
  execFileSync('tar', ['-C', into, '-xf', tar]);
  execFileSync('sync', ['-f', into]);
  return (performance.now() - from) / 1000;
}

async function dispatch(address, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}/api/addons/dispatch`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(await answer.text());
}

const anonymousKiB = (pid) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

const asked = (url) =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    request(url, (answer) => answer.resume().on('end', () => resolve(performance.now() - from)))
      .on('error', reject)
      .end();
  });

/** Seconds of one install, the highest RssAnon in MiB, and the times of GET /api/addons/apps meanwhile, sorted, in ms. */
async function install(directory, { id }, { child, address }, round) {
  execFileSync('sync', ['-f', directory]);
  let over = false;
  let most = 0;
  const times = [];
  const watching = (async () => {
    while (!over) {
      times.push(await asked(`${address}/api/addons/apps`));
      most = Math.max(most, anonymousKiB(child.pid));
      await new Promise((wake) => setTimeout(wake, 5));
    }
  })();
  const from = performance.now();
  const order = { addonId: id, operationId: `install-${round}`, action: 'install' };
  await dispatch(address, { ...order, arguments: { sourceId: 'bench', version: '1.0.0' } });
  const seconds = (performance.now() - from) / 1000;
  over = true;
  await watching;
  await dispatch(address, { addonId: id, operationId: `remove-${round}`, action: 'uninstall', arguments: {} });
  return { seconds, mib: most / 1024, times: times.sort((a, b) => a - b) };
}

async function compare(directory, origin, image) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const data = join(directory, `data-${image.id}-${round}`);
    const add = ['library', 'add', '--id', 'bench', '--url', `${origin}/${image.id}.yaml`, '--allow-loopback-http'];
    execFileSync(process.execPath, [MAIN, ...add, '--data-path', data]);
    const hand = byHand(directory, image.tar, round);
    const server = await startCastellan(data);
    const one = await install(directory, image, server, round).finally(() => ended(server.child));
    rounds.push({ ...one, hand, ratio: one.seconds / hand });
  }
  rounds.sort((a, b) => a.ratio - b.ratio);
  return {
    middle: rounds[Math.floor(ROUNDS / 2)],
    mib: Math.max(...rounds.map(({ mib }) => mib)),
    p99: Math.max(...rounds.map(({ times }) => times[Math.floor(times.length * 0.99)])),
  };
}

const words = ({ seconds, hand }) => `${seconds.toFixed(2)} s, ${hand.toFixed(2)} s by hand`;

export const run = () =>
  withDirectory(async (directory) => {
    const files = join(directory, 'files');
    mkdirSync(files);
    const { child, address: origin } = await started(['-e', REGISTRY, files], /listening (\S+)/);
    try {
      const rows = [];
      for (const [id, count, size, most] of [
        ['large', 10, 50 * MIB - 4096, 1],
        ['small', 9_000, 4_096, 2],
      ]) {
        const image = await imageOf(directory, files, id, count, size);
        const artifact = `${origin.replace('http://', 'oci://')}/acme/${id}`;
        const entry = { id, name: id, version: '1.0.0', artifact, digest: image.digest, os: 'linux', arch };
        const lines = Object.entries(entry).map(([key, value]) => `${key}: ${value}`);
        writeFileSync(join(files, `${id}.yaml`), `- ${lines.join('\n  ')}\n`);
        const { middle, mib, p99 } = await compare(directory, origin, image);
        rows.push(
          ratio(`install of ${count} files over openssl, tar and sync`, middle.ratio, atMost(most), words(middle)),
          ratio(`RssAnon in MiB while ${count} files are installed`, mib, atMost(200), 'the most of all rounds'),
          ratio(`p99 of GET /api/addons/apps in ms meanwhile`, p99, atMost(50), 'the worst of all rounds'),
        );
      }
      return rows;
    } finally {
      await ended(child);
      // What is published is read-only.
      execFileSync('chmod', ['-R', 'u+w', directory]);
    }
  });
