/** An install names a library and a version or a channel; everything else comes from the library as it is at that moment (06:131-136). */
import type { Json } from '../../../src/contract/json.js';
import { installationKind } from '../../../src/projections/kinds/installation.js';
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { testRelease } from '../../support/lifecycle-world.js';

const test = suite('what an install may say');

test(
  'a caller can put no policy, source, platform, artifact or digest in the place of those of the library [PACKAGE-001]',
  inWorld(async (world) => {
    await world.library([testRelease('demo', '1.0.0')]);
    const wanted = { sourceId: 'lib', version: '1.0.0' };
    const substitutes = [
      { policy: { requireSignature: false } },
      { digest: `sha256:${'0'.repeat(64)}` },
      { artifact: 'oci://evil.example/demo' },
      { url: 'https://evil.example/index.yaml' },
      { os: 'linux' },
      { arch: 'arm64' },
      { platform: { os: 'linux', arch: 'arm64' } },
      { release: testRelease('demo', '1.0.0') },
      { channel: 'latest' },
    ];
    for (const [index, substitute] of substitutes.entries()) {
      const args = { ...wanted, ...substitute } as unknown as Json;
      assert.is(await world.act('install', `bad-${index}`, args), 'invalid_request', JSON.stringify(substitute));
    }
    assert.is(world.packages.staged, 0);
    const done = await world.act('install', 'op-1', wanted);
    assert.is(typeof done === 'string' ? done : done.state, 'completed');
    const { current } = world.store.visible.get(installationKind, 'demo');
    const { digest, artifact } = testRelease('demo', '1.0.0');
    assert.equal([current?.digest, current?.artifact, current?.sourceId], [digest, artifact, 'lib']);
  }),
);

test.run();
