import { hostProblems, hostProfile, parseManifest, validateManifest } from '../../../src/contract/manifest.js';
import { assert, suite } from '../../support/harness.js';
import { VALID } from '../../support/manifests.js';

const test = suite('manifest');

for (const [name, make] of Object.entries(VALID))
  test(`the ${name} manifest is valid`, () => {
    const result = parseManifest(JSON.stringify(make()));
    assert.equal(result._tag === 'Left' ? result.left : [], []);
    if (result._tag === 'Right') assert.equal(hostProblems(result.right, hostProfile('linux', 'x64')), []);
    if (result._tag === 'Right') assert.is(validateManifest(result.right, hostProfile('linux', 'x64'))._tag, 'Right');
  });

test.run();
