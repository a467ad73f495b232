import { assert, suite } from '../../support/harness.js';
import { everyCall } from '../../support/kill-rounds.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';

const test = suite('a kill at every commit of the main job');
const DEADLINE_MS = 900_000;
let library: TestLibrary;

test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

test(
  'killed at any fdatasync, the owner keeps all it acknowledged, applies nothing twice, ends what was in flight and goes on [LIFECYCLE-030] [LIFECYCLE-031]',
  async () => {
    const kills = await everyCall(library.url, 'fdatasync');
    assert.ok(kills >= 25, `${kills} kills`);
  },
  DEADLINE_MS,
);

test.run();
