/** The platform matrices of add-ons and the legs of a run (15:50-64,102-106,146-154). */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../../src/contract/fp.js';
import { planOf, readConfigs } from '../../../../src/packages/release/plan.js';
import { enabledLegs, parsePackageConfig, readPackageConfig } from '../../../../src/packages/release/platforms.js';
import { assert, suite } from '../../../support/harness.js';
import { ROOT } from '../../../support/server.js';
import { tempDir } from '../../../support/temp-dir.js';

const test = suite('package plans');
const leg = (platform: string, enabled: boolean, checked = enabled) =>
  `  - platform: ${platform}\n    runner: ubuntu-24.04\n    enabled: ${enabled}\n${checked ? '    checks:\n      executable-start: 2026-11-30\n' : ''}`;
const config = (id: string, ...legs: string[]) => `addon: ${id}\nexecutable: ${id}\nplatforms:\n${legs.join('')}`;
const parsed = (text: string) => {
  const read = parsePackageConfig(Buffer.from(text), '/checkout');
  if (isLeft(read)) throw new Error(read.left);
  return read.right;
};
const BOTH = parsed(config('voice', leg('linux/amd64', true), leg('linux/arm64', true), leg('darwin/arm64', false)));
const NONE = parsed(config('face', leg('linux/amd64', false)));
const REPOSITORY = 'registry.example/addons';
const sha = 'a'.repeat(40);
const PUBLISHING = [
  { event: 'push', ref: 'refs/heads/master', sha },
  { event: 'push', ref: 'refs/tags/v1.2.3', sha },
  { event: 'release', ref: 'refs/tags/v1.2.3', sha },
];
const QUIET = [
  { event: 'pull_request', ref: 'refs/pull/1/merge', sha },
  { event: 'push', ref: 'refs/heads/topic', sha },
];

test('only enabled platforms are shipped [DIST-031]', () => {
  assert.equal(
    enabledLegs(BOTH).map(({ platform }) => platform),
    ['linux/amd64', 'linux/arm64'],
  );
  const plan = planOf(PUBLISHING[0] as (typeof PUBLISHING)[0], [BOTH], REPOSITORY);
  assert.equal(isLeft(plan) ? plan.left : plan.right.legs, [
    { addon: 'voice', platform: 'linux/amd64', runner: 'ubuntu-24.04' },
    { addon: 'voice', platform: 'linux/arm64', runner: 'ubuntu-24.04' },
  ]);
});

test('a platform without a native runner or a recorded check cannot be enabled [DIST-032] [DIST-037]', () => {
  const refused = (text: string) => {
    const read = parsePackageConfig(Buffer.from(text), '/');
    return isLeft(read) ? read.left : 'it was accepted';
  };
  assert.match(
    refused(config('voice', leg('linux/amd64', true, false))),
    /enabled without a recorded executable-start/,
  );
  assert.match(refused(config('voice', leg('linux/amd64', true).replace('ubuntu-24.04', '""'))), /no native runner/);
  assert.match(refused(config('voice', leg('linux/amd64', true).replace('executable-start', 'smoke'))), /not known/);
  assert.match(refused(config('voice', leg('linux/amd64', true).replace('2026-11-30', 'yes'))), /no date/);
  assert.match(refused(config('voice', leg('linux/amd64', true).replace('    runner: ubuntu-24.04\n', ''))), /fields/);
});

test('every add-on of this repository enables only platforms that were checked, and lists four [DIST-035] [DIST-037]', async () => {
  const runners = {
    'linux/amd64': 'ubuntu-24.04',
    'linux/arm64': 'ubuntu-24.04-arm',
    'darwin/arm64': 'macos-15',
    'darwin/amd64': 'macos-15-intel',
  };
  const ids = readdirSync(join(ROOT, 'addons'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(ids.length > 0);
  for (const { name } of ids) {
    const read = await readPackageConfig(join(ROOT, 'addons', name, 'package/platforms.yaml'));
    if (isLeft(read)) throw new Error(read.left);
    assert.is(read.right.id, name);
    assert.equal(Object.fromEntries(read.right.platforms.map(({ platform, runner }) => [platform, runner])), runners);
    for (const { enabled, checked } of read.right.platforms) assert.ok(!enabled || checked !== undefined);
  }
});

test('a publishing event fails closed without a repository, with a wrong one, and with nothing to publish [DIST-033]', () => {
  for (const event of PUBLISHING) {
    for (const repository of [undefined, '', 'quay.io/go-skynet/local-ai-backends', 'registry.example/addons:latest'])
      assert.ok(isLeft(planOf(event, [BOTH], repository)), String(repository));
    assert.ok(isLeft(planOf(event, [], REPOSITORY)));
    assert.ok(isRight(planOf(event, [BOTH], REPOSITORY)));
  }
  for (const event of QUIET) assert.ok(isRight(planOf(event, [BOTH], undefined)));
});

test('a release never leaves one add-on behind: without an enabled platform nothing is published [DIST-051] [DIST-077]', () => {
  for (const event of PUBLISHING) {
    const plan = planOf(event, [BOTH, NONE], REPOSITORY);
    assert.ok(isLeft(plan) && /face has no enabled platform/.test(plan.left));
  }
});

test('on other events an add-on without an enabled platform only has no legs [DIST-052]', () => {
  for (const event of QUIET) {
    const plan = planOf(event, [BOTH, NONE], REPOSITORY);
    if (isLeft(plan)) throw new Error(plan.left);
    assert.equal([plan.right.publish, plan.right.addons, plan.right.legs.length], [false, ['voice'], 2]);
  }
});

test('a missing or malformed configuration fails the plan, whatever the event [DIST-053]', async () => {
  const addons = join(tempDir('addons'), 'addons');
  mkdirSync(join(addons, 'voice/package'), { recursive: true });
  const file = join(addons, 'voice/package/platforms.yaml');
  const missing = await readConfigs(addons);
  assert.ok(isLeft(missing) && /cannot be read/.test(missing.left));
  for (const text of [
    'addon: voice',
    config('voice'),
    config('face', leg('linux/amd64', true)),
    config('voice', leg('linux/amd64', true), leg('linux/amd64', true)),
    config('voice', leg('linux', true)),
    `${config('voice', leg('linux/amd64', true))}surprise: 1\n`,
    'x: [',
  ]) {
    writeFileSync(file, text);
    assert.ok(isLeft(await readConfigs(addons)), text);
  }
  writeFileSync(file, config('voice', leg('linux/amd64', true)));
  assert.ok(isRight(await readConfigs(addons)));
  rmSync(addons, { recursive: true });
  assert.ok(isLeft(await readConfigs(addons)));
});

test('each package of this repository has a template for its entries [DIST-040]', () => {
  for (const entry of readdirSync(join(ROOT, 'addons'), { withFileTypes: true }).filter((one) => one.isDirectory()))
    assert.match(readFileSync(join(ROOT, 'gallery/addons', `${entry.name}.yaml.tmpl`), 'utf8'), /\$\{digest\}/);
});
test.run();
