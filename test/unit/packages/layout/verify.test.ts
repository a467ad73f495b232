/** Every reason a layout is refused for, each with all digests mended, so that nothing but the rule itself can notice (15:32-44). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { isLeft, isRight } from '../../../../src/contract/fp.js';
import { verifyLayout } from '../../../../src/packages/layout/layout-verify.js';
import { assert, suite } from '../../../support/harness.js';
import {
  blobPath,
  type LayoutModel,
  layer,
  layerFile,
  layoutOf,
  PLAIN,
  refusedAfter,
  type TarFile,
} from '../../../support/layouts.js';
import { ROOT } from '../../../support/server.js';
import { header } from '../../../support/tar.js';

const test = suite('verification of a layout');
type Change = (model: LayoutModel) => void;

async function eachRefused(cases: readonly (readonly [Change, RegExp])[]) {
  for (const [change, reason] of cases) assert.match(await refusedAfter(change), reason);
}
const remove = (role: string, path: string) => (model: LayoutModel) => {
  const found = layer(model, role);
  found.files = found.files.filter(({ name }) => name !== path);
};
const addTo = (role: string, file: Partial<TarFile> & { name: string }) => (model: LayoutModel) => {
  layer(model, role).files.push({ content: Buffer.from('x'), mode: 0o644, ...file });
};
const mode = (path: string, bits: number) => (model: LayoutModel) => {
  layerFile(model, path).mode = bits;
};
const rewrite = (change: (manifest: Record<string, unknown>) => void) => (model: LayoutModel) => {
  const file = layerFile(model, 'manifest.json');
  const value = JSON.parse(String(file.content)) as Record<string, unknown>;
  change(value);
  file.content = Buffer.from(JSON.stringify(value));
};

test('a missing entrypoint, page file or runtime file is refused [DIST-019]', async () => {
  await eachRefused([
    [remove('executable', 'bin/run'), /executable its manifest declares is not in it/],
    [remove('ui', 'ui/entry.mjs'), /page file/],
    [remove('ui', 'ui/style.css'), /page file/],
    [remove('ui', 'ui/icon.png'), /page file/],
  ]);
  const layout = await layoutOf();
  assert.ok(isRight(await verifyLayout(layout, { runtime: ['lib/one.so'] })));
  for (const runtime of [['lib/one.so', 'lib/two.so'], []])
    assert.ok(isLeft(await verifyLayout(layout, { runtime })), String(runtime));
});

test('manifest, config, annotations, layout and receipt must name one platform and version [DIST-020]', async () => {
  const note = (key: string, value: string) => (model: LayoutModel) => {
    model.image.annotations[key] = value;
  };
  await eachRefused([
    [rewrite((value) => Object.assign(value, { version: '1.2.4' })), /annotation/],
    [rewrite((value) => Object.assign(value, { arch: 'arm64' })), /platform/],
    [(model) => Object.assign(model.config, { os: 'darwin' }), /config names another platform/],
    [(model) => Object.assign(model.config, { architecture: 'arm64' }), /config names another platform/],
    [note('io.localai.addon.platform', 'linux/arm64'), /annotation io\.localai\.addon\.platform/],
    [note('io.localai.addon.version', '1.2.4'), /annotation io\.localai\.addon\.version/],
    [note('org.opencontainers.image.version', '1.2.4'), /annotation org\.opencontainers\.image\.version/],
    [(model) => delete model.image.annotations['io.localai.addon.id'], /annotation io\.localai\.addon\.id/],
    [(model) => Object.assign(model.blob, { platform: { os: 'linux', architecture: 'arm64' } }), /another platform/],
    [(model) => Object.assign(model.receipt, { version: '1.2.4' }), /receipt\.json names another version/],
    [
      (model) => Object.assign(model.receipt.images[0], { platform: 'linux/arm64' }),
      /receipt\.json names another platform/,
    ],
    [(model) => Object.assign(model.receipt, { id: 'other' }), /receipt\.json does not list/],
    [(model) => Object.assign(model.receipt, { revision: 'c'.repeat(40) }), /receipt\.json does not list/],
  ]);
  assert.match(
    await refusedAfter(
      rewrite((value) => Object.assign(value, { id: 'other' })),
      PLAIN,
    ),
    /annotation/,
  );
});

test('another artifact type is refused, on the image and on the layout [DIST-021]', async () => {
  await eachRefused([
    [(model) => Object.assign(model.image, { artifactType: 'application/vnd.example' }), /artifact type/],
    [(model) => Object.assign(model.blob, { artifactType: 'application/vnd.example' }), /artifact type/],
    [(model) => delete model.image.artifactType, /fields of a image manifest/],
  ]);
});

test('a layer of another media type, role, order or with another file is refused [DIST-022]', async () => {
  const swap = (a: number, b: number) => (model: LayoutModel) => {
    const [one, other] = [model.layers[a], model.layers[b]];
    if (one === undefined || other === undefined) throw new Error('no such layer');
    model.layers[a] = other;
    model.layers[b] = one;
  };
  await eachRefused([
    [
      (model) => Object.assign(layer(model, 'ui'), { mediaType: 'application/vnd.oci.image.layer.v1.tar' }),
      /media type/,
    ],
    [(model) => Object.assign(layer(model, 'ui'), { role: 'page' }), /layers must be executable, ui, skills, manifest/],
    [swap(0, 1), /layers must be/],
    [swap(2, 3), /the last layer/],
    [(model) => model.layers.splice(1, 1), /layers must be/],
    [(model) => model.layers.unshift({ ...layer(model, 'ui'), role: 'ui' }), /layers must be/],
    [addTo('executable', { name: 'ui/other.js' }), /ui\/other\.js does not belong into the layer "executable"/],
    [addTo('ui', { name: 'lib/two.so' }), /does not belong into the layer "ui"/],
    [addTo('executable', { name: 'skills/sample/x.md' }), /does not belong/],
    [addTo('manifest', { name: 'more.json' }), /only manifest\.json belongs/],
    [(model) => Object.assign(layer(model, 'manifest'), { files: [] }), /has no manifest\.json/],
    [addTo('executable', { name: 'receipt.json' }), /receipt\.json/],
    [(model) => Object.assign(model.image.config, { mediaType: 'application/json' }), /config has another media type/],
  ]);
});

const flipped = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
};

/** Other bytes of the same length that mean exactly the same: only a digest can tell. */
const saidOtherwise = (bytes: Buffer): Buffer => {
  if (bytes[0] !== 0x1f)
    return Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(String(bytes))).reverse())));
  const copy = Buffer.from(bytes);
  copy[9] = 255;
  return copy;
};

test('every blob must have its digest and its size [DIST-023]', async () => {
  const names = readdirSync(join(await layoutOf(), 'blobs/sha256'));
  assert.is(names.length, 6);
  for (const name of names)
    for (const damage of [
      flipped,
      (bytes: Buffer) => bytes.subarray(1),
      (bytes: Buffer) => Buffer.concat([bytes, bytes]),
    ]) {
      const layout = await layoutOf();
      const path = join(layout, 'blobs/sha256', name);
      writeFileSync(path, damage(readFileSync(path)));
      assert.ok(isLeft(await verifyLayout(layout)), name);
    }
  for (const name of names) {
    const layout = await layoutOf();
    const path = join(layout, 'blobs/sha256', name);
    writeFileSync(path, saidOtherwise(readFileSync(path)));
    const verified = await verifyLayout(layout);
    assert.match(isLeft(verified) ? verified.left : 'it was accepted', /does not have its digest/);
  }
  const layout = await layoutOf();
  writeFileSync(blobPath(layout, `sha256:${'0'.repeat(64)}`), 'nobody refers to this');
  assert.ok(isLeft(await verifyLayout(layout)));
});

test('set-id, sticky, group-write and world-write bits are refused in every layer [DIST-024]', async () => {
  const cases: (readonly [Change, RegExp])[] = [];
  for (const path of ['bin/run', 'lib/one.so', 'ui/entry.mjs', 'skills/sample/SKILL.md', 'manifest.json']) {
    const base = path === 'bin/run' ? 0o755 : 0o644;
    cases.push([mode(path, base | 0o4000), /set-id/], [mode(path, base | 0o2000), /set-id/]);
    cases.push([mode(path, base | 0o1000), /sticky/]);
    cases.push([mode(path, base | 0o020), /may be written/], [mode(path, base | 0o002), /may be written/]);
  }
  await eachRefused(cases);
});

test('only the entrypoint is executable, and it is [DIST-025]', async () => {
  await eachRefused([
    [mode('lib/one.so', 0o755), /executable and is not the entrypoint/],
    [mode('lib/one.so', 0o645), /executable and is not the entrypoint/],
    [mode('ui/entry.mjs', 0o744), /executable and is not the entrypoint/],
    [mode('bin/run', 0o644), /is not executable/],
    [mode('bin/run', 0o700), /mode 700 where 755/],
    [mode('lib/one.so', 0o600), /mode 600 where 644/],
  ]);
});

test('absolute, escaping and repeated paths and everything but plain files are refused [DIST-026]', async () => {
  const cases: (readonly [Change, RegExp])[] = [
    [addTo('executable', { name: '/etc/passwd' }), /absolute/],
    [addTo('executable', { name: '../outside' }), /dot part/],
    [addTo('executable', { name: 'lib/../../outside' }), /dot part/],
    [addTo('executable', { name: 'lib\\two' }), /backslash/],
    [addTo('executable', { name: 'lib/one.so' }), /there twice/],
    [addTo('executable', { name: 'lib/one.so/inner' }), /a file and a folder/],
    [addTo('executable', { name: 'lib' }), /a file and a folder/],
    [addTo('executable', { name: 'dir/', type: '5', content: Buffer.alloc(0) }), /not a plain file/],
  ];
  for (const type of ['1', '2', '3', '4', '6', '7', 'S'])
    cases.push([addTo('executable', { name: 'odd', type, link: '/etc/passwd', content: Buffer.alloc(0) }), /it holds/]);
  await eachRefused(cases);
});

test('a page that brings React is refused, in every build of it; one that takes it from the host is not [DIST-027]', async () => {
  const code = `import { useState } from 'react'; import { createRoot } from 'react-dom/client';
    export function mount(node) { createRoot(node).render(useState('x')[0]); }`;
  const bundled = async (options: { minify?: boolean; external?: string[]; mode?: string }) => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: ROOT, loader: 'js' },
      bundle: true,
      format: 'esm',
      write: false,
      minify: options.minify ?? false,
      define: { 'process.env.NODE_ENV': JSON.stringify(options.mode ?? 'production') },
      external: options.external ?? [],
    });
    return Buffer.from(outputFiles[0]?.contents ?? []);
  };
  const withPage = (content: Buffer) => (model: LayoutModel) => {
    layerFile(model, 'ui/entry.mjs').content = content;
  };
  for (const options of [{}, { minify: true }, { mode: 'development' }, { external: ['react'] }])
    assert.match(await refusedAfter(withPage(await bundled(options))), /brings a React runtime/);
  const external = await bundled({ external: ['react', 'react-dom/client'] });
  assert.is(await refusedAfter(withPage(external)), 'it was accepted');
});

test('an icon must be an image of the type its name declares [DIST-028]', async () => {
  const icon = (content: Buffer) => (model: LayoutModel) => {
    layerFile(model, 'ui/icon.png').content = content;
  };
  await eachRefused([
    [icon(Buffer.from('GIF89a')), /icon is not an image/],
    [icon(Buffer.from('\xff\xd8\xff\xe0', 'latin1')), /icon is not an image/],
    [icon(Buffer.alloc(0)), /icon is not between/],
    [icon(Buffer.alloc(300_000)), /larger than/],
  ]);
});

test('skills are judged by the rules of an owner [DIST-039]', async () => {
  await eachRefused([
    [remove('skills', 'skills/sample/SKILL.md'), /skill/],
    [addTo('skills', { name: 'skills/sample/run.sh' }), /no scripts/],
    [addTo('skills', { name: 'skills/other/SKILL.md' }), /no skill/],
  ]);
});

test('a config with a history or a time is refused [DIST-012]', async () => {
  await eachRefused([
    [(model) => Object.assign(model.config, { created: '2026-11-30T00:00:00Z' }), /image config/],
    [(model) => Object.assign(model.config, { history: [] }), /image config/],
  ]);
});

test('a bomb is cut at the limit of a package', async () => {
  const piece = gzipSync(Buffer.alloc(64 * 1_048_576));
  const head = gzipSync(header({ name: 'lib/zeros', size: 9 * 64 * 1_048_576 }));
  const change = (model: LayoutModel) => {
    layer(model, 'executable').raw = Buffer.concat([head, ...Array.from({ length: 9 }, () => piece)]);
  };
  assert.match(await refusedAfter(change, PLAIN), /larger than 512 MiB/);
}, 120_000);

test('something that is no layout is refused, not thrown', async () => {
  for (const damage of [
    (at: string) => writeFileSync(join(at, 'index.json'), 'x'),
    (at: string) => writeFileSync(join(at, 'index.json'), '{"schemaVersion":2}'),
    (at: string) => writeFileSync(join(at, 'oci-layout'), '{}'),
    (at: string) => writeFileSync(join(at, 'receipt.json'), '[]'),
    (at: string) => writeFileSync(join(at, 'index.json'), Buffer.alloc(2_000_000, ' ')),
  ]) {
    const layout = await layoutOf(PLAIN);
    damage(layout);
    assert.ok(isLeft(await verifyLayout(layout)));
  }
  assert.ok(isLeft(await verifyLayout('/nowhere/at/all')));
});
test.run();
