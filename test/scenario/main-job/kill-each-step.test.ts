import { assert, suite } from '../../support/harness.js';
import { everyCall, killRound } from '../../support/kill-rounds.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';

const test = suite('a kill at every file step and spawn of the main job');
const DEADLINE_MS = 900_000;
let library: TestLibrary;

test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

test(
  'killed at any fsync, the owner keeps all it acknowledged, applies nothing twice and goes on',
  async () => {
    assert.ok(await killRound(library.url, 'fsync', 1));
    assert.ok(await killRound(library.url, 'fsync', 2));
    const kills = await everyCall(library.url, 'fsync', true);
    assert.ok(kills >= 8, `${kills} kills`);
  },
  DEADLINE_MS,
);

test(
  'killed at any rename it does the same',
  async () => {
    assert.ok(await killRound(library.url, 'rename', 1));
    const kills = await everyCall(library.url, 'rename', true);
    assert.ok(kills >= 4, `${kills} kills`);
  },
  DEADLINE_MS,
);

test(
  'killed at any spawn it does the same',
  async () => {
    const kills = await everyCall(library.url, 'spawn');
    assert.ok(kills >= 2, `${kills} kills`);
  },
  DEADLINE_MS,
);

test.run();
