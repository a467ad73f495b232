/** Runs one test in a lifecycle world of its own that has a library with the add-ons `demo` and `other`. */
import { testRelease, World } from './lifecycle-world.js';

export function inWorld(body: (world: World) => Promise<void>, prepare?: (world: World) => void): () => Promise<void> {
  return async () => {
    const world = await World.open(prepare);
    try {
      await world.library([
        testRelease('demo', '1.0.0'),
        testRelease('demo', '1.1.0', { channel: 'latest' }),
        testRelease('other', '1.0.0'),
      ]);
      await body(world);
    } finally {
      world.close();
    }
  };
}
