import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { packageLimits } from '../../../src/packages/package-limits.js';
import { assert, suite } from '../../support/harness.js';
import {
  executable,
  manifest,
  manifestFile,
  published,
  refusalOf,
  sample,
  serving,
  sha256,
  stageIn,
  withStore,
  withUi,
} from '../../support/package-store.js';
import { archive, file, folder } from '../../support/tar.js';

const test = suite('package staging');
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(20, 1)]);
const MODULE = file('ui/main.js', 'export {};\n');

/** Refuses with `type` and a message that matches, and says that nothing was installed. */
const refuses = async (
  bytes: Uint8Array,
  pattern: RegExp,
  ask: Parameters<typeof refusalOf>[1] = {},
  type = 'package_unverified',
) => {
  const refusal = await refusalOf(bytes, ask);
  assert.is(refusal.refusal, type, refusal.message);
  assert.match(refusal.message, pattern);
  if (type !== 'sdk_incompatible') assert.match(refusal.message, /[Nn]othing was installed/);
};
const accepts = (bytes: Uint8Array) =>
  withStore(serving(bytes), async ({ store }) => {
    const staged = await stageIn(store, bytes);
    if (isLeft(staged)) throw new Error(staged.left.message);
    return staged.right.receipt;
  });

test('a small package is staged, published and described by its receipt [PACKAGE-034] [PACKAGE-016] [PACKAGE-021]', async () => {
  const bytes = sample(folder('docs'), file('docs/read.me', 'text'));
  await withStore(serving(bytes), async ({ root, store, names }) => {
    const directory = await published(store, bytes, { release: { channel: 'latest', selection: 'latest' } });
    assert.match(directory, /^sample-1\.0\.0-[0-9a-f]{12}-[0-9a-f]{8}$/);
    assert.equal(names(), [directory]);
    const receipt = await store.receipt(directory);
    assert.ok(isRight(receipt));
    const { files, manifest: kept, ...rest } = receipt.right;
    assert.equal(kept, manifest());
    assert.equal(rest, {
      addonId: 'sample',
      version: '1.0.0',
      sourceId: 'here',
      channel: 'latest',
      selection: 'latest',
      artifact: 'https://library.example/sample.tar',
      digest: sha256(bytes),
      verification: 'sha256',
      os: 'linux',
      arch: 'amd64',
      manifestDigest: sha256(Buffer.from(JSON.stringify(manifest()))),
    });
    assert.equal(
      files.map(({ path, executable: runs }) => [path, runs]),
      [
        ['manifest.json', false],
        ['bin/run', true],
        ['docs/read.me', false],
      ],
    );
    assert.is(readFileSync(join(root, directory, 'docs/read.me'), 'utf8'), 'text');
    assert.ok(isRight(await store.verify(directory)));
    assert.is(store.absolute(directory), join(root, directory));
  });
});

test('the receipt keeps the reference and the channel that were chosen [PACKAGE-008]', async () => {
  const bytes = sample();
  await withStore(serving(bytes), async ({ store }) => {
    const staged = await stageIn(store, bytes, { release: { channel: 'branch/x', selection: 'branch/x' } });
    assert.ok(isRight(staged));
    assert.is(staged.right.receipt.selection, 'branch/x');
    assert.is(staged.right.receipt.artifact, 'https://library.example/sample.tar');
    const plain = await stageIn(store, bytes);
    assert.ok(isRight(plain));
    assert.is(plain.right.receipt.channel, '');
    assert.is(plain.right.receipt.selection, '1.0.0');
  });
});

test('a published package is read-only, whatever the umask, and a stage is private [PACKAGE-034] [PACKAGE-032]', async () => {
  const bytes = sample(folder('docs'), file('docs/read.me', 'text'));
  const umask = process.umask(0o000);
  try {
    await withStore(serving(bytes), async ({ root, store, names }) => {
      const staged = await stageIn(store, bytes);
      assert.ok(isRight(staged));
      const mode = (...path: string[]) => lstatSync(join(root, ...path)).mode & 0o7777;
      const [stage = ''] = names();
      assert.match(stage, /^stage-[0-9a-f]{32}$/);
      assert.is(mode(stage), 0o700);
      assert.is(mode(), 0o700);
      const done = await store.publish(staged.right);
      assert.ok(isRight(done));
      const { directory } = done.right;
      assert.equal(
        ['.', 'bin', 'bin/run', 'docs', 'docs/read.me', 'manifest.json', 'receipt.json'].map((path) =>
          mode(directory, path),
        ),
        [0o555, 0o555, 0o555, 0o555, 0o444, 0o444, 0o444],
      );
    });
  } finally {
    process.umask(umask);
  }
});

test('a stage handle works once, and only with the store that made it [PACKAGE-035]', async () => {
  const bytes = sample();
  await withStore(serving(bytes), (first) =>
    withStore(serving(bytes), async (second) => {
      const staged = await stageIn(first.store, bytes);
      assert.ok(isRight(staged));
      assert.ok(isLeft(await second.store.publish(staged.right)));
      assert.ok(isLeft(await first.store.publish({ receipt: staged.right.receipt })));
      assert.ok(isRight(await first.store.publish(staged.right)));
      assert.ok(isLeft(await first.store.publish(staged.right)));
      const other = await stageIn(first.store, bytes);
      assert.ok(isRight(other));
      await first.store.discard(other.right);
      await first.store.discard(other.right);
      assert.ok(isLeft(await first.store.publish(other.right)));
      assert.is(first.names().length, 1);
      assert.is(second.names().length, 0);
    }),
  );
});

test('a package that was published before is never replaced or changed [PACKAGE-033]', async () => {
  const bytes = sample();
  await withStore(serving(bytes), async ({ root, store, names }) => {
    const first = await published(store, bytes);
    const before = lstatSync(join(root, first));
    const second = await published(store, bytes);
    assert.is.not(first, second);
    const broken = await stageIn(store, bytes, { release: { digest: sha256(Buffer.from('other')) } });
    assert.ok(isLeft(broken));
    assert.equal(names(), [first, second].sort());
    const after = lstatSync(join(root, first));
    assert.is(after.ino, before.ino);
    assert.is(after.ctimeMs, before.ctimeMs);
  });
});

test('the digest of the library decides, not the length or anything the server says [PACKAGE-016]', async () => {
  const bytes = sample();
  await refuses(bytes, /digest/, { release: { digest: sha256(Buffer.from('other')) } });
  await refuses(bytes, /pins no digest/, { release: { digest: '' } });
  const changed = Buffer.from(bytes);
  changed[512 + 5] = 0x21;
  await refuses(changed, /digest/, { release: { digest: sha256(bytes) } });
});

test('an archive from a library that requires signatures is refused before anything is sent [PACKAGE-019] [PACKAGE-003]', async () => {
  let calls = 0;
  const fetch = () => {
    calls += 1;
    return Promise.reject(new Error('no'));
  };
  await refuses(sample(), /requires a signature/, { policy: { requireSignature: true }, fetch });
  await refuses(sample(), /pattern/, { policy: { identityRegex: '^a$' }, fetch });
  assert.is(calls, 0);
});

test('plain HTTP needs the opt-in and a literal loopback address [PACKAGE-017]', async () => {
  let calls = 0;
  const fetch = () => {
    calls += 1;
    return Promise.reject(new Error('no'));
  };
  const http = (artifact: string, allowLoopbackHTTP: boolean) =>
    refuses(
      sample(),
      /plain HTTP/,
      { release: { artifact }, policy: { allowLoopbackHTTP }, fetch },
      'package_fetch_failed',
    );
  await http('http://127.0.0.1:1/a.tar', false);
  await http('http://localhost:1/a.tar', true);
  await http('http://library.example/a.tar', true);
  assert.is(calls, 0);
});

test('identity, version and platform of the manifest equal the release [PACKAGE-022]', async () => {
  for (const changes of [{ id: 'other' }, { version: '1.0.1' }, { os: 'darwin' }, { arch: 'arm64' }]) {
    const [field] = Object.keys(changes);
    await refuses(archive(manifestFile(manifest(changes)), executable()), new RegExp(`the ${field} of its manifest`));
  }
  const foreign = archive(manifestFile(manifest({ arch: 'arm64' })), executable());
  await refuses(foreign, /for arch "arm64"/, { release: { arch: 'arm64' } });
});

test('host, API, protocol and data format must fit this host [PACKAGE-022]', async () => {
  for (const field of ['host', 'api', 'protocol', 'dataFormat'])
    await refuses(
      archive(manifestFile(manifest({ [field]: { min: 7, max: 9 } })), executable()),
      new RegExp(`needs ${field} 7 to 9`),
    );
});

test('an SDK range that does not fit has a type of its own, and only counts with pages [PACKAGE-022]', async () => {
  const bytes = archive(manifestFile(withUi({ entry: 'ui/main.js', sdk: { min: 3, max: 3 } })), executable(), MODULE);
  await refuses(bytes, /^the add-on needs SDK 3 to 3 and this host provides SDK 2$/, {}, 'sdk_incompatible');
});

test('the manifest is there, is JSON and is valid [PACKAGE-020] [CATALOG-032]', async () => {
  await refuses(archive(executable()), /no manifest\.json/);
  await refuses(archive(file('manifest.yaml', 'id: sample\n'), executable()), /no manifest\.json/);
  await refuses(archive(file('manifest.json', 'id: sample\n'), executable()), /manifest is not valid/);
  await refuses(archive(manifestFile(manifest({ surprise: 1 })), executable()), /manifest is not valid/);
  await refuses(archive(manifestFile(manifest({ id: 'dispatch' })), executable()), /manifest is not valid/, {
    release: { id: 'dispatch' },
  });
  await refuses(archive(file('manifest.json', ' '.repeat(65_537)), executable()), /64 KiB/);
});

test('the executable and every page file exist, and the executable may be run by its owner [PACKAGE-020] [PACKAGE-023]', async () => {
  await refuses(archive(manifestFile()), /executable its manifest declares/);
  await refuses(archive(manifestFile(), folder('bin/run')), /executable its manifest declares/);
  await refuses(archive(manifestFile(), file('bin/run', 'x', { mode: 0o655 })), /execute bit of the owner/);
  await refuses(archive(manifestFile(withUi({ entry: 'ui/main.js' })), executable()), /page file/);
  await refuses(
    archive(manifestFile(withUi({ entry: 'ui/main.js', css: ['ui/a.css'] })), executable(), MODULE),
    /page file/,
  );
  await accepts(
    archive(
      manifestFile(withUi({ entry: 'ui/main.js', css: ['ui/a.css'] })),
      executable(),
      MODULE,
      file('ui/a.css', ''),
    ),
  );
});

const icon = (name: string, ...entries: Uint8Array[]) =>
  archive(manifestFile(withUi({ entry: 'ui/main.js', icon: name })), executable(), MODULE, ...entries);

test('an icon of its declared type is taken into the receipt [PACKAGE-012] [PACKAGE-014]', async () => {
  const receipt = await accepts(icon('ui/i.png', file('ui/i.png', PNG)));
  assert.equal(receipt.icon, {
    path: 'ui/i.png',
    sha256: sha256(PNG).slice(7),
    size: PNG.length,
    mediaType: 'image/png',
  });
  await accepts(icon('ui/i.jpg', file('ui/i.jpg', Buffer.from('ffd8ffe000', 'hex'))));
  await accepts(icon('ui/i.webp', file('ui/i.webp', Buffer.from('RIFF\x01\x00\x00\x00WEBPVP8 ', 'latin1'))));
  await accepts(icon('ui/i.png', file('ui/i.png', Buffer.concat([PNG, Buffer.alloc(262_144 - PNG.length)]))));
});

test('a missing, empty, oversize, linked or mistyped icon fails staging [PACKAGE-013]', async () => {
  await refuses(icon('ui/i.png'), /page file/);
  await refuses(icon('ui/i.png', file('ui/i.png', '')), /1 byte and 256 KiB/);
  await refuses(
    icon('ui/i.png', file('ui/i.png', Buffer.concat([PNG, Buffer.alloc(262_145 - PNG.length)]))),
    /256 KiB/,
  );
  await refuses(icon('ui/i.png', file('ui/i.png', '', { type: '2', link: 'main.js' })), /symbolic link/);
  await refuses(icon('ui/i.jpg', file('ui/i.jpg', PNG)), /type its name declares/);
  await refuses(icon('ui/i.png', file('ui/i.png', '<svg/>')), /type its name declares/);
});

test('an icon is handed out only while its bytes match the receipt [PACKAGE-015]', async () => {
  const bytes = icon('ui/i.png', file('ui/i.png', PNG));
  await withStore(serving(bytes), async ({ root, store }) => {
    const directory = await published(store, bytes);
    const served = await store.icon(directory);
    assert.ok(isRight(served));
    assert.equal(Buffer.from(served.right.bytes), PNG);
    assert.is(served.right.mediaType, 'image/png');
    const path = join(root, directory, 'ui/i.png');
    chmodSync(path, 0o600);
    writeFileSync(path, Buffer.concat([PNG.subarray(0, -1), Buffer.from([2])]));
    assert.ok(isLeft(await store.icon(directory)));
  });
});

test('every change of the executable, the manifest, a page file or a mode is found before a launch', async () => {
  const bytes = archive(manifestFile(withUi({ entry: 'ui/main.js' })), executable(), MODULE);
  const changes: [string, (path: string) => void][] = [
    ['bin/run', (path) => writeFileSync(path, '#!/bin/sh\nexit 1\n')],
    ['bin/run', (path) => chmodSync(path, 0o444)],
    ['ui/main.js', (path) => writeFileSync(path, 'export 0;\n')],
    ['manifest.json', (path) => writeFileSync(path, JSON.stringify(manifest()))],
    ['receipt.json', (path) => writeFileSync(path, '{}')],
  ];
  for (const [path, change] of changes)
    await withStore(serving(bytes), async ({ root, store }) => {
      const directory = await published(store, bytes);
      assert.ok(isRight(await store.verify(directory)));
      chmodSync(join(root, directory, path), 0o755);
      change(join(root, directory, path));
      assert.ok(isLeft(await store.verify(directory)), path);
    });
});

test('only the name of a package reaches the file system', () =>
  withStore(serving(sample()), async ({ store }) => {
    for (const name of ['..', '.', '', 'a/b', '../packages', '/etc', 'a\0', 'stage-0/../x', 'none-1.0.0']) {
      assert.ok(isLeft(await store.receipt(name)), name);
      assert.ok(isLeft(await store.verify(name)), name);
      assert.ok(isLeft(await store.icon(name)), name);
    }
  }));

test('limits can only be lowered, and nothing is clamped [PACKAGE-030] [PACKAGE-028] [PACKAGE-029]', () => {
  assert.equal(
    packageLimits({}),
    packageLimits({ downloadBytes: 536_870_912, expandedBytes: 536_870_912, entries: 10_000 }),
  );
  assert.ok(isRight(packageLimits({ entries: 1 })));
  for (const limits of [
    { entries: 0 },
    { entries: -1 },
    { entries: 10_001 },
    { downloadBytes: 536_870_913 },
    { expandedBytes: 1.5 },
  ])
    assert.ok(isLeft(packageLimits(limits)));
});

test('skill files must be declared, of a text type and not executable, and stand in the receipt with their digest [SKILLS-023]', async () => {
  const skilled = (...entries: Uint8Array[]) =>
    archive(
      manifestFile(manifest({ capabilities: { service: true, skillDefinitions: [{ name: 'sample' }] } })),
      executable(),
      ...entries,
    );
  const main = file('skills/sample/SKILL.md', '---\nname: sample\ndescription: d\n---\n');
  const receipt = await accepts(skilled(main, file('skills/sample/references/a.md', 'x')));
  assert.equal(
    receipt.files.find(({ path }) => path === 'skills/sample/references/a.md'),
    {
      path: 'skills/sample/references/a.md',
      size: 1,
      sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      executable: false,
    },
  );
  assert.ok(receipt.files.some(({ path }) => path === 'skills/sample/SKILL.md'));
  await refuses(skilled(), /SKILL\.md.*needs this file/);
  await refuses(sample(main), /without declared skills/);
  await refuses(skilled(main, file('skills/other/SKILL.md', 'x')), /no skill that the manifest declares/);
  await refuses(skilled(main, file('skills/sample/run.py', 'x')), /no scripts/);
  await refuses(skilled(main, file('skills/sample/a.md', 'x', { mode: 0o755 })), /executable/);
  await refuses(skilled(main, file('skills/sample/Big.md', 'x')), /lower-case/);
  await refuses(skilled(main, file('skills/sample/a/b/c/d/e.md', 'x')), /3 folders/);
  await refuses(skilled(main, file('skills/sample/a.md', Buffer.alloc(262_145))), /256 KiB/);
  await refuses(
    skilled(file('skills/sample/SKILL.md', '---\nname: other\ndescription: d\n---\n')),
    /name of its folder/,
  );
  await refuses(skilled(main, file('skills/sample/a.md', Buffer.from([0xff]))), /UTF-8/);
});

test('nothing of a package is run by staging or publishing it [PACKAGE-037]', async () => {
  await withStore(serving(sample()), async ({ root }) => {
    const mark = join(root, '..', 'ran');
    const bytes = archive(manifestFile(), executable(`#!/bin/sh\ntouch ${mark}\n`));
    await withStore(serving(bytes), async ({ store }) => {
      const directory = await published(store, bytes);
      await store.verify(directory);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    assert.not.ok(readdirSync(join(root, '..')).includes('ran'));
  });
});

test.run();
