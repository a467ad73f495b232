import { RESERVED_ADDON_IDS } from '../../../src/contract/manifest.js';
import { ROUTES } from '../../../src/http/routes/index.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('reserved ids');

test('the first segment of every route under /api/addons/ is a reserved id [MANIFEST-074]', () => {
  const segments = ROUTES.map(({ path }) => /^\/api\/addons\/([^/]+)/.exec(path)?.[1]).filter(
    (segment): segment is string => segment !== undefined && !segment.startsWith(':'),
  );
  assert.ok(segments.includes('dispatch') && segments.includes('proposals'));
  assert.equal(
    segments.filter((segment) => !RESERVED_ADDON_IDS.includes(segment)),
    [],
  );
});

test.run();
