/** The owner root: private, no links, one owner at a time, bound to one identity. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft, isRight, must, right } from '../../../src/contract/fp.js';
import { withRoot } from '../../../src/packages/packages-root.js';
import { FOLDERS, movedReason, openOwnerRoot } from '../../../src/process/owner-root.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('owner root');
let base = '';
test.beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'castellan-root-'));
});
test.afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (dataPath = base, over: { ownerId?: string; storageId?: string } = {}) =>
  openOwnerRoot({ dataPath, ownerId: 'owner-1', storageId: 'disk-1', ...over });
const refusal = (opened: ReturnType<typeof open>) => {
  if (isRight(opened)) opened.right.release();
  return isLeft(opened) ? opened.left : (assert.unreachable('the root was opened') as never);
};
const mode = (path: string) => statSync(path).mode & 0o777;

test('creates the root and its folders with mode 0700 and its files with 0600', () => {
  const root = must(open(), 'open');
  assert.is(mode(root.path), 0o700);
  for (const name of FOLDERS) assert.is(mode(root.folder(name)), 0o700);
  for (const file of ['owner.lock', 'identity.json']) assert.is(mode(join(root.path, file)), 0o600);
  root.release();
});

test('tightens a root that others may enter', () => {
  mkdirSync(join(base, 'addons'));
  chmodSync(join(base, 'addons'), 0o777);
  const root = must(open(), 'open');
  assert.is(mode(root.path), 0o700);
  root.release();
});

test('refuses a second owner in the words operators look for, until the first lets go [LIFECYCLE-005]', () => {
  const first = must(open(), 'open');
  assert.equal(refusal(open()), { kind: 'owned', message: 'addon storage already owned' });
  first.release();
  must(open(), 'open after release').release();
});

test('releases the lock when it is released, also towards another process [LIFECYCLE-011]', () => {
  const tryLock = () => spawnSync('flock', ['-xn', join(base, 'addons', 'owner.lock'), 'true']).status;
  const first = must(open(), 'open');
  assert.is(tryLock(), 1);
  first.release();
  assert.is(tryLock(), 0);
});

test('refuses a second owner also when the lock file was deleted [LIFECYCLE-005]', () => {
  const first = must(open(), 'open');
  unlinkSync(join(first.path, 'owner.lock'));
  assert.is(refusal(open()).message, 'addon storage already owned');
  first.release();
});

test('refuses a root, a folder or a lock file that is a symbolic link, and leaves its target alone [RUNTIME-018]', () => {
  const target = join(base, 'elsewhere');
  mkdirSync(target);
  const plant: Record<string, (addons: string) => void> = {
    addons: (addons) => symlinkSync(target, addons),
    journal: (addons) => must(open(join(addons, '..')), 'open').release(),
    packages: (addons) => must(open(join(addons, '..')), 'open').release(),
    'owner.lock': (addons) => mkdirSync(addons),
  };
  for (const [name, prepare] of Object.entries(plant)) {
    const dataPath = join(base, `case-${name}`);
    mkdirSync(dataPath);
    const addons = join(dataPath, 'addons');
    prepare(addons);
    if (name !== 'addons') {
      rmSync(join(addons, name), { recursive: true, force: true });
      symlinkSync(name === 'owner.lock' ? join(target, 'lock') : target, join(addons, name));
    }
    assert.is(refusal(open(dataPath)).kind, 'unsafe', name);
  }
  assert.not.ok(existsSync(join(target, 'owner.lock')));
  assert.not.ok(existsSync(join(target, 'lock')));
});

test('refuses another owner id or storage id at a restart, and accepts the same ones [LIFECYCLE-006]', () => {
  must(open(), 'open').release();
  const before = readFileSync(join(base, 'addons', 'identity.json'), 'utf8');
  assert.match(refusal(open(base, { ownerId: 'owner-2' })).message, /bound to ownerId "owner-1"/);
  assert.match(refusal(open(base, { storageId: 'disk-2' })).message, /bound to storageId "disk-1"/);
  assert.is(readFileSync(join(base, 'addons', 'identity.json'), 'utf8'), before);
  must(open(), 'open again').release();
});

test('stores no address, so that it can change between starts [OWNER-058]', () => {
  must(open(), 'open').release();
  const stored = JSON.parse(readFileSync(join(base, 'addons', 'identity.json'), 'utf8')) as object;
  assert.equal(Object.keys(stored).sort(), ['format', 'ownerId', 'path', 'storageId']);
});

test('refuses a damaged identity file and a used root without one, rather than adopting the storage', () => {
  must(open(), 'open').release();
  const file = join(base, 'addons', 'identity.json');
  const good = readFileSync(file, 'utf8');
  for (const bad of ['', '{}', good.replace('"format":1', '"format":2'), good.replace('}', ',"more":1}'), '\xff']) {
    writeFileSync(file, bad);
    assert.is(refusal(open()).kind, 'identity', bad);
    assert.is(readFileSync(file, 'utf8'), bad);
  }
  unlinkSync(file);
  assert.match(refusal(open()).message, /missing/);
  assert.not.ok(existsSync(file));
});

test('says under which path a moved root was created, and writes nothing about it', () => {
  must(open(), 'open').release();
  const moved = join(base, 'moved');
  mkdirSync(moved);
  spawnSync('mv', [join(base, 'addons'), moved]);
  const root = must(open(moved), 'open');
  assert.is(root.movedFrom, join(base, 'addons'));
  assert.match(movedReason(root) ?? '', /was created at .*addons and is now at .*moved\/addons/);
  root.release();
  must(open(moved), 'open twice').release();
  spawnSync('mv', [join(moved, 'addons'), base]);
  const back = must(open(), 'open back');
  assert.is(back.movedFrom, undefined);
  assert.is(movedReason(back), undefined);
  back.release();
});

test('gives a socket in a root of a 150-character data path a path the kernel accepts', async () => {
  const deep = join(base, 'x'.repeat(150 - base.length - 1));
  assert.is(deep.length, 150);
  const root = must(open(deep), 'open');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(root.shortPath('control.sock'), resolve);
  });
  assert.ok(existsSync(join(root.path, 'control.sock')));
  await new Promise((resolve) => server.close(resolve));
  root.release();
});

test('a link in the data path is resolved once, and the packages below it can be swept [LIFECYCLE-042]', async () => {
  mkdirSync(join(base, 'disk', 'castellan'), { recursive: true });
  symlinkSync(join(base, 'disk'), join(base, 'link'));
  const root = must(open(join(base, 'link', 'castellan')), 'open through a link');
  assert.is(root.path, join(realpathSync(base), 'disk', 'castellan', 'addons'));
  assert.is(root.movedFrom, undefined);
  const swept = await withRoot(root.folder('packages'), async () => right('open'));
  assert.ok(isRight(swept));
  rmdirSync(root.folder('packages'));
  symlinkSync(base, root.folder('packages'));
  const refused = await withRoot(root.folder('packages'), async () => right('open'));
  assert.ok(isLeft(refused) && /symbolic link/.test(refused.left.message));
  root.release();
});

test.run();
