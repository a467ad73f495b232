/** From a checkout to a running add-on: every command of a publisher in order, a real registry, a real server (15:4-7,48,92-95,188-204). */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hostProfile } from '../../../src/contract/manifest.js';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { COMMIT, folderOf, layoutOf, PLAIN } from '../../support/layouts.js';
import { manifest } from '../../support/package-store.js';
import { PASSWORD, type RealRegistry, startRegistry, USER } from '../../support/registry.js';
import { clientOf, dataPath, MAIN, ROOT, startServer } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('publishing from the command line');
const { os, arch } = hostProfile(process.platform, process.arch);
const HERE = `${os}/${arch}`;
const run = (...args: readonly string[]) => castellan('', 'package', ...args);
const fresh = (label: string) => join(tempDir(label), 'out');
async function good(...args: readonly string[]): Promise<string> {
  const ran = await run(...args);
  assert.is(ran.code, 0, `${args[0]}: ${ran.err}`);
  return ran.out;
}

/** The command lines of the processes whose parent is `pid`. */
function children(pid: number): readonly string[] {
  const line = (of: string) => {
    try {
      const parent = readFileSync(`/proc/${of}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')[1];
      return parent === String(pid) ? readFileSync(`/proc/${of}/cmdline`, 'latin1').replaceAll('\0', ' ') : '';
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(line)
    .filter((text) => text !== '');
}

/** Serves one index; what it answers can be changed. */
async function indexServer() {
  let text = '[]\n';
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.yaml`,
    say: (index: string) => {
      text = index;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Publishes Tables to a registry with a password, by a file of credentials, and answers the entries. */
async function publishTables(registry: RealRegistry): Promise<string> {
  const repository = ['--repository', `${registry.host}/team/addons`];
  const secret = join(tempDir('credentials'), 'credentials.json');
  const binding = {
    origin: registry.origin,
    kind: 'basic',
    secret: { value: `${USER}:${PASSWORD}` },
    allowInsecure: true,
  };
  writeFileSync(secret, JSON.stringify({ registries: [binding] }), { mode: 0o600 });
  const [layout, joined] = [fresh('layout'), fresh('joined')];
  const config = join(ROOT, 'addons/tables/package/platforms.yaml');
  await good(
    'build',
    '--config',
    config,
    '--layout',
    layout,
    '--version',
    '1.4.0',
    '--platform',
    HERE,
    '--revision',
    COMMIT,
  );
  await good('join', layout, '--layout', joined, '--config', config, '--platform', HERE);
  const to = [...repository, '--credentials', secret, '--allow-loopback-http'];
  assert.match(await good('push', joined, '--tag', '1.4.0', ...to), /^tables-1\.4\.0 sha256:[0-9a-f]{64}\n$/);
  assert.match((await run('push', joined, '--tag', '1.4.0', ...repository)).err, /was not published/);
  const entries = ['--layout', joined, '--tag', '1.4.0', '--channel', 'latest', ...repository];
  const template = join(ROOT, 'gallery/addons/tables.yaml.tmpl');
  return good(
    'catalog',
    ...entries,
    '--template',
    template,
    '--source',
    'owner/repository',
    '--ref',
    'refs/tags/v1.4.0',
  );
}

test('Tables is published, listed and installed as any package, by its channel, and no container runtime runs it [DIST-002] [DIST-090] [DIST-092]', async () => {
  const registry = await startRegistry({ auth: { kind: 'htpasswd' } });
  const index = await indexServer();
  const data = dataPath();
  const bin = tempDir('bin');
  const called = join(bin, 'called');
  for (const runtime of [
    'docker',
    'podman',
    'runc',
    'crun',
    'containerd',
    'nerdctl',
    'ctr',
    'oras',
    'skopeo',
    'umoci',
  ]) {
    writeFileSync(join(bin, runtime), `#!/bin/sh\necho "$0" >> ${called}\n`);
    chmodSync(join(bin, runtime), 0o755);
  }
  const path = process.env.PATH;
  try {
    index.say(await publishTables(registry));
    const secret = join(data.path, 'credentials.json');
    const binding = {
      origin: registry.origin,
      kind: 'basic',
      secret: { value: `${USER}:${PASSWORD}` },
      allowInsecure: true,
    };
    writeFileSync(secret, JSON.stringify({ registries: [binding] }), { mode: 0o600 });
    await castellan(data.path, 'library', 'add', '--id', 'mine', '--url', index.url, '--allow-loopback-http');
    process.env.PATH = `${bin}:${path}`;
    const server = await startServer(data.path, ['--addons-official-library=false', '--credentials', secret]);
    try {
      const client = clientOf(server.address);
      const order = (operationId: string, action: string, generation: number, args: object) => ({
        addonId: 'tables',
        operationId,
        generation,
        action,
        arguments: args,
      });
      // There is no tag tables-latest in the registry: a channel is a word of the catalog, never a tag that is read.
      await client.dispatch(order('install-1', 'install', 0, { sourceId: 'mine', channel: 'latest' }));
      await client.dispatch(order('enable-1', 'enable', 1, {}));
      const apps = await client.get<{ apps: { id: string; state: string; version?: string }[] }>('/api/addons/apps');
      assert.equal(
        apps.body.apps.map(({ id, state }) => `${id} ${state}`),
        ['tables running'],
      );
      const program = join(data.path, 'addons/packages/tables-1.4.0-');
      assert.ok(children(server.pid).some((line) => line.includes(program) && line.includes('/bin/tables.cjs')));
    } finally {
      await server.stop();
    }
    assert.not.ok(existsSync(called), 'a container tool was started');
  } finally {
    process.env.PATH = path;
    data.remove();
    await index.close();
    await registry.close();
  }
}, 180_000);

test('the policy of the source counts, not that of an entry, and the catalog is trusted apart from its packages [DIST-094] [DIST-095]', async () => {
  const registry = await startRegistry();
  const index = await indexServer();
  const data = dataPath();
  try {
    const joined = fresh('joined');
    await good('join', await layoutOf(PLAIN), '--layout', joined);
    const to = ['--repository', `${registry.host}/addons`];
    await good('push', joined, '--tag', '1.2.3', ...to, '--allow-loopback-http');
    const entry = await good('catalog', '--layout', joined, '--tag', '1.2.3', '--channel', 'latest', ...to);
    const nobody = entry.trimEnd().concat('\n  policy: { requireSignature: false }\n');
    const strict = [
      '--require-signature',
      '--issuer',
      'https://issuer.example',
      '--identity',
      'https://signer.example',
    ];
    const add = (id: string, ...more: string[]) =>
      castellan(data.path, 'library', 'add', '--id', id, '--url', index.url, '--allow-loopback-http', ...more);
    index.say(nobody);
    assert.match((await add('strict', ...strict)).out, /1 release/);
    const server = await startServer(data.path, ['--addons-official-library=false']);
    try {
      const client = clientOf(server.address);
      const install = (operationId: string, sourceId: string) =>
        client.dispatch({
          addonId: 'sample',
          operationId,
          generation: 0,
          action: 'install',
          arguments: { sourceId, version: '1.2.3' },
        });
      // The catalog is read and lists the package; the package itself is not signed by whom the source names.
      const refused = await install('install-1', 'strict');
      assert.is(refused.status, 403);
      assert.match((refused.body as { error?: { message: string } }).error?.message ?? '', /sign/);
      // The other way round: a good package is not installed from a catalog that cannot be read.
      index.say('this is no index');
      assert.not.match((await castellan(data.path, 'library', 'refresh', 'strict')).out, /1 release/);
      await castellan(data.path, 'library', 'remove', 'strict');
      assert.match((await add('open')).out, /could not be read/);
      assert.is.not((await install('install-2', 'open')).status, 200);
      const demanding = {
        requireSignature: true,
        issuer: 'https://issuer.example',
        identity: 'https://signer.example',
      };
      index.say(entry.trimEnd().concat(`\n  policy: ${JSON.stringify(demanding)}\n`));
      await castellan(data.path, 'library', 'refresh', 'open');
      const installed = await install('install-3', 'open');
      assert.is(installed.status, 200, JSON.stringify(installed.body));
    } finally {
      await server.stop();
    }
  } finally {
    data.remove();
    await index.close();
    await registry.close();
  }
}, 180_000);

test('target prints a reference and asks nobody [DIST-047] [DIST-048]', async () => {
  const trace = join(tempDir('trace'), 'log');
  const line = ['-f', '-qq', '-e', 'trace=network', '-o', trace, process.execPath, MAIN, 'package', 'target'];
  const args = ['--repository', 'registry.invalid/addons', '--addon', 'voice', '--tag', 'development'];
  const out = execFileSync('strace', [...line, ...args]).toString();
  assert.is(out, 'oci://registry.invalid/addons:voice-development\n');
  assert.not.match(readFileSync(trace, 'utf8'), /AF_INET|AF_INET6|connect\(/);
  for (const repository of ['quay.io/go-skynet/local-ai-backends', 'registry.example/addons:latest', ''])
    assert.is((await run('target', '--repository', repository, '--addon', 'voice', '--tag', 'latest')).code, 1);
});

test('channel.sh and plan print the lines a workflow step takes [DIST-054] [DIST-071]', async () => {
  const event = ['--event', 'push', '--ref', 'refs/heads/master', '--sha', COMMIT];
  const output = join(tempDir('output'), 'lines');
  const script = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile('sh', [join(ROOT, 'scripts/addons/channel.sh'), ...args], (error, out) =>
        error ? reject(error) : resolve(out),
      );
    });
  const expected = `publish=true\nimmutable=sha-${COMMIT.slice(0, 12)}\nmoving=development\n`;
  assert.is(await script(...event, '--output', output), expected);
  assert.is(readFileSync(output, 'utf8'), expected);
  const addons = join(ROOT, 'addons');
  const plan = JSON.parse(
    await good('plan', ...event, '--addons', addons, '--repository', 'registry.example/addons', '--json'),
  );
  assert.equal([plan.publish, plan.addons], [true, ['tables']]);
  assert.is((await run('plan', ...event, '--addons', addons)).code, 1, 'a publishing event without a repository');
  assert.is(
    (await run('plan', ...event, '--addons', tempDir('none'), '--repository', 'registry.example/addons')).code,
    1,
  );
});

test('policy and catalog --check say by their exit code whether a file is good', async () => {
  assert.is((await run('policy', join(ROOT, '.github/workflows/addons-package.yml'))).code, 0);
  const bad = join(tempDir('workflow'), 'bad.yml');
  writeFileSync(bad, 'on: pull_request_target\njobs: {}\n');
  assert.is((await run('policy', bad)).code, 1);
  const out = join(tempDir('index'), 'index.yaml');
  const addons = join(tempDir('checkout'), 'addons');
  mkdirSync(join(addons, 'tables/package'), { recursive: true });
  for (const file of ['manifest.json', 'package/platforms.yaml'])
    writeFileSync(join(addons, 'tables', file), readFileSync(join(ROOT, 'addons/tables', file)));
  const args = [
    'catalog',
    '--channel',
    'development',
    '--repository',
    'registry.example/addons',
    '--addons',
    addons,
    '--out',
    out,
  ];
  await good(...args);
  await good(...args, '--check');
  const config = join(addons, 'tables/package/platforms.yaml');
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(
      'ubuntu-24.04-arm\n    enabled: false',
      'ubuntu-24.04-arm\n    enabled: true\n    checks:\n      executable-start: 2026-11-30',
    ),
  );
  assert.match((await run(...args, '--check')).err, /is stale/);
  assert.is((await run('catalog-tools', '--index', out, '--addons', addons, '--check')).code, 0);
});
test('the commands of the document for authors work as they stand there', async () => {
  const registry = await startRegistry();
  try {
    const text = readFileSync(join(ROOT, 'docs/addon-authors.md'), 'utf8');
    const block = [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, lines = '']) => lines)
      .find((lines) => lines.includes('push'));
    const commands = (block ?? '').trim().split('\n');
    assert.is(commands.length, 6);
    const cwd = tempDir('author');
    folderOf({ ...PLAIN, 'manifest.json': JSON.stringify(manifest({ id: 'notes' })) }, join(cwd, 'my-addon'));
    for (const command of commands) {
      const line = command
        .replace(/^castellan /, `${process.execPath} ${MAIN} `)
        .replace('registry.example', registry.host)
        .replace(/ push .*/, '$& --allow-loopback-http');
      execFileSync('/bin/sh', ['-c', line], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    }
    assert.match(
      readFileSync(join(cwd, 'index.yaml'), 'utf8'),
      /artifact: oci:\/\/127\.0\.0\.1:\d+\/team\/addons:notes-1\.0\.0/,
    );
  } finally {
    await registry.close();
  }
}, 120_000);
test.run();
