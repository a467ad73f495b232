/**
 * The one door to uvu. uvu exits 0 when a hook throws, when `run()` is forgotten and when a test throws a non-Error;
 * here each of these exits 1, and a test that never ends is named when its own deadline passes.
 */
import { suite as uvuSuite } from 'uvu';

export * as assert from 'uvu/assert';

const DEFAULT_DEADLINE_MS = 60_000;

interface Tally {
  registered: number;
  passed: number;
  ran: boolean;
}

const tallies = new Map<string, Tally>();

process.on('exit', (code) => {
  for (const [name, tally] of tallies) {
    if (code === 0 && (!tally.ran || tally.registered === 0 || tally.passed !== tally.registered)) {
      console.error(
        `suite "${name}": ${tally.registered} registered, ${tally.passed} passed, ${tally.ran ? 'run' : 'NEVER RUN'}`,
      );
      process.exitCode = 1;
    }
  }
  if (tallies.size === 0) process.exitCode = 1;
});

type Body = () => void | Promise<void>;

export interface Suite {
  (title: string, body: Body, deadlineMs?: number): void;
  before(hook: Body): void;
  after(hook: Body): void;
  beforeEach(hook: Body): void;
  afterEach(hook: Body): void;
  run(): void;
}

/** A named group of tests; call `.run()` once at the end of the file. A throwing hook fails the file. */
export function suite(name: string): Suite {
  const inner = uvuSuite(name);
  const tally: Tally = { registered: 0, passed: 0, ran: false };
  tallies.set(name, tally);
  const guarded = (hook: Body) => async () => {
    try {
      await hook();
    } catch (error) {
      console.error(`suite "${name}": a hook failed\n`, error);
      process.exit(1);
    }
  };
  const add = (title: string, body: Body, deadlineMs = DEFAULT_DEADLINE_MS) => {
    tally.registered += 1;
    inner(title, async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`"${title}" did not end within ${deadlineMs} ms`)), deadlineMs);
      });
      try {
        await Promise.race([Promise.resolve().then(body), late]);
        tally.passed += 1;
      } catch (thrown) {
        if (!(thrown instanceof Error)) throw new Error(`threw a non-Error: ${String(thrown)}`);
        // The cause is not shown otherwise.
        if (thrown.cause !== undefined && !(thrown.cause instanceof Error)) console.error(thrown.cause);
        throw thrown;
      } finally {
        clearTimeout(timer);
      }
    });
  };
  return Object.assign(add, {
    before: (hook: Body) => inner.before(guarded(hook)),
    after: (hook: Body) => inner.after(guarded(hook)),
    beforeEach: (hook: Body) => inner.before.each(guarded(hook)),
    afterEach: (hook: Body) => inner.after.each(guarded(hook)),
    run: () => {
      tally.ran = true;
      inner.run();
    },
  });
}
