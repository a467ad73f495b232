import { assert, suite } from '../../support/harness.js';
import type { Part } from '../../support/kill-plan.js';
import { everyCall } from '../../support/kill-rounds.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';

const test = suite('a kill at every commit of the main job');
const DEADLINE_MS = 280_000;
let library: TestLibrary;

test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

/** The commits that each part cannot do without. */
const AT_LEAST: Partial<Record<Part, number>> = {
  start: 1,
  library: 1,
  install: 4,
  enable: 4,
  create: 2,
  propose: 1,
  confirm: 2,
  'propose-other': 1,
  cancel: 1,
  disable: 4,
  uninstall: 4,
};

test(
  'killed at any fdatasync, the owner keeps all it acknowledged, applies nothing twice, ends what was in flight and goes on [LIFECYCLE-030] [LIFECYCLE-031]',
  async () => {
    const kills = await everyCall(library.url, [{ kind: 'fdatasync', thread: 'main' }]);
    console.log(JSON.stringify(kills));
    for (const [part, least] of Object.entries(AT_LEAST))
      assert.ok(kills[part as Part] >= least, `${part}: ${JSON.stringify(kills)}`);
  },
  DEADLINE_MS,
);

test.run();
