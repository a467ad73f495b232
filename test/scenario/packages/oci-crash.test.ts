/** An installation from a real registry under kills: at every sync, rename and change of a file's mode, and at writes. */
import { assert, suite } from '../../support/harness.js';
import { type KillsOf, killInstalls } from '../../support/install-kills.js';
import { ociLibrary } from '../../support/oci-library.js';

const test = suite('an image installed under kills');

const every = (n: number) => n + 1;
/** There are hundreds of writes, most of them to sockets and to other threads: the first ones, and then fewer and fewer. */
const fewer = (n: number) => n * 4;
const PLANS: readonly KillsOf[] = [
  { kind: 'write', next: fewer },
  { kind: 'fsync', next: every },
  { kind: 'chmod', next: every },
  { kind: 'rename', next: every },
  { kind: 'mkdir', next: every },
];

test('a kill at any step of an installation from a registry leaves no part of it, and the operation sent again installs once [LIFECYCLE-035] [PACKAGE-033]', async () => {
  // Large enough for a thread of its own.
  const library = await ociLibrary(5 * 1_048_576, 512 * 1_048_576);
  try {
    const queue = PLANS.values();
    const kills: Record<string, number> = {};
    const worker = async () => {
      for (const plan of queue) kills[plan.kind] = await killInstalls(library, plan);
    };
    await Promise.all([worker(), worker()]);
    const told = JSON.stringify(kills);
    assert.ok((kills.fsync ?? 0) >= 4, told);
    assert.ok((kills.chmod ?? 0) >= 3, told);
    assert.ok((kills.rename ?? 0) >= 1, told);
    assert.ok((kills.mkdir ?? 0) >= 1, told);
    assert.ok((kills.write ?? 0) >= 4, told);
  } finally {
    await library.close();
  }
}, 400_000);

test.run();
