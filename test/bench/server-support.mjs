/** A built server with the echo add-on turned on, and a client that costs as little as possible. */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderIndex } from '../../dist/modules/packages/builder/index-writer.js';
import { buildPackage } from '../../dist/modules/packages/builder/package-build.js';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Resolves with the child and its address once `pattern` matched what it wrote. */
export function started(args, pattern) {
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(out)));
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const found = pattern.exec(out);
      if (found !== null) resolve({ child, address: found[1], ms: performance.now() - from });
    });
  });
}

export const startCastellan = (data) =>
  started([MAIN, 'run', '--data-path', data, '--address', '127.0.0.1:0'], /"address":"([^"]+)","msg":"ready"/);

export const ended = (child) => {
  child.removeAllListeners('exit');
  return new Promise((resolve) => {
    child.on('exit', resolve);
    child.kill('SIGTERM');
  });
};

export async function withEcho(directory, body) {
  const folder = join(directory, 'echo');
  cpSync(new URL('./echo-addon', import.meta.url), folder, { recursive: true });
  const script = join(folder, 'echo.mjs');
  writeFileSync(script, readFileSync(script, 'utf8').replace('/usr/bin/env node', process.execPath));
  chmodSync(script, 0o755);
  const manifest = join(folder, 'manifest.json');
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), arch }));
  const built = (await buildPackage(folder, join(directory, 'echo.tar'))).right;
  const files = new Map([['/echo.tar', readFileSync(join(directory, 'echo.tar'))]]);
  const library = createServer((request, response) => response.end(files.get(request.url)));
  await new Promise((resolve) => library.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${library.address().port}`;
  files.set(
    '/index.yaml',
    renderIndex([{ manifest: built.manifest, digest: built.digest, artifact: `${origin}/echo.tar` }]).right,
  );
  const data = join(directory, 'data');
  const add = spawn(process.execPath, [
    MAIN,
    'library',
    'add',
    '--id',
    'bench',
    '--url',
    `${origin}/index.yaml`,
    '--allow-loopback-http',
    '--data-path',
    data,
  ]);
  await new Promise((resolve) => add.on('exit', resolve));
  const { child, address } = await startCastellan(data);
  try {
    const dispatch = async (request) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${address}/api/addons/dispatch`, {
        method: 'POST',
        headers,
        body: JSON.stringify(request),
      });
      if (answer.status !== 200) throw new Error(await answer.text());
    };
    await dispatch({
      addonId: 'echo',
      operationId: 'install-1',
      action: 'install',
      arguments: { sourceId: 'bench', version: '1.0.0' },
    });
    await dispatch({ addonId: 'echo', operationId: 'enable-1', action: 'enable', arguments: {} });
    const where = JSON.parse(readFileSync(join(data, 'addons/data/echo/where.json'), 'utf8'));
    return await body({ address, where, child });
  } finally {
    await ended(child);
    library.closeAllConnections();
    library.close();
  }
}

/** One keep-alive connection that sends one fixed request at a time and waits for the whole answer. */
export function wire(address, path, headers, body) {
  const { hostname, port } = new URL(address);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const request = `${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`;
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  let text = '';
  let done = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
    const head = text.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(text);
    if (head < 0 || length === null || text.length < head + 4 + Number(length[1])) return;
    const status = text.slice(9, 12);
    text = '';
    done(status);
  });
  return {
    once: () =>
      new Promise((resolve, reject) => {
        done = (status) => (status === '200' ? resolve() : reject(new Error(`status ${status}`)));
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
