import { assert, suite } from '../../support/harness.js';
import { everyCall } from '../../support/kill-rounds.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';

const test = suite('a kill at every file step and spawn of the main job');
const DEADLINE_MS = 280_000;
let library: TestLibrary;

test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

test(
  'killed at any fsync, rename or spawn, the owner keeps all it acknowledged, applies nothing twice and goes on',
  async () => {
    const kills = await everyCall(library.url, [
      { kind: 'fsync', thread: 'pool' },
      { kind: 'fsync', thread: 'main' },
      { kind: 'rename', thread: 'pool' },
      { kind: 'rename', thread: 'main' },
      { kind: 'spawn', thread: 'main' },
    ]);
    console.log(JSON.stringify(kills));
    // What these parts must do themselves; the anchor is written now and then, wherever its time comes.
    const least = { start: 9, install: 6, enable: 1, end: 4 };
    for (const part of ['start', 'install', 'enable', 'end'] as const)
      assert.ok(kills[part] >= least[part], `${part}: ${JSON.stringify(kills)}`);
  },
  DEADLINE_MS,
);

test.run();
