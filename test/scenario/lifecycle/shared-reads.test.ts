/** Two who want the same library at the same time share one read, and neither depends on the other's patience. */
import { assert, suite } from '../../support/harness.js';
import { inWorld } from '../../support/in-world.js';
import { codeOf, must, until } from '../../support/lifecycle-world.js';

const test = suite('shared reads of a library');
const SIGNAL = new AbortController().signal;

test(
  'who joins a read whose beginner gives up reads again for himself',
  inWorld(async (world) => {
    world.catalog.gate = new Promise(() => undefined);
    const start = new AbortController();
    const first = world.lifecycle.library.refresh('lib', start.signal);
    await until(() => world.catalog.fetched.length === 1);
    const second = world.lifecycle.library.refresh('lib', SIGNAL);
    world.catalog.gate = undefined;
    start.abort();
    assert.is(codeOf(await first), 'library_unavailable');
    must(await second);
    assert.is(world.catalog.fetched.length, 2);
  }),
);

test(
  'who joins a read and gives up is answered at once, and the read goes on for its beginner',
  inWorld(async (world) => {
    let open: () => void = () => undefined;
    world.catalog.gate = new Promise((resolve) => {
      open = () => resolve(undefined);
    });
    const first = world.lifecycle.library.refresh('lib', SIGNAL);
    await until(() => world.catalog.fetched.length === 1);
    const joiner = new AbortController();
    const joined = world.lifecycle.library.refresh('lib', joiner.signal);
    joiner.abort();
    assert.is(codeOf(await joined), 'library_unavailable');
    assert.is(codeOf(await world.lifecycle.library.refresh('lib', AbortSignal.abort())), 'library_unavailable');
    open();
    must(await first);
    assert.is(world.catalog.fetched.length, 1);
    assert.is(world.lifecycle.library.search({ text: '', kind: 'addon', offset: 0, limit: 50 }).total, 3);
  }),
);

test.run();
