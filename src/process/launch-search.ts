/** Looks for the process of a launch whose pid was never recorded (the owner died between exec and the record). */
import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RecordedLaunch } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import { type Finding, gone, uncertain } from './finding.js';
import type { Libc } from './libc.js';
import type { Proc, ProcessView } from './proc.js';
import { ARGUMENT } from './spawn.js';

type Launch = Pick<RecordedLaunch, 'executable' | 'dataDir'>;

/**
 * `ours`: started with the contract's argument, in the data directory of the add-on. `unclear`: it names the package
 * or the directory, but not the way the owner starts it; a person has to look.
 */
export function recognise(view: ProcessView, launch: Launch): 'ours' | 'unclear' | 'other' {
  const carries = view.argv.includes(ARGUMENT);
  const packaged = `${dirname(launch.executable)}/`;
  const named = view.exe === launch.executable || view.argv.some((word) => word.startsWith(packaged));
  if (carries && view.cwd === launch.dataDir) return 'ours';
  if (carries && (named || view.cwd === undefined)) return 'unclear';
  return view.exe === launch.executable ? 'unclear' : 'other';
}

/** A handle of the one process that this launch became; left: it never started, or it cannot be told. */
export function findLaunch(
  { libc, proc }: { readonly libc: Libc; readonly proc: Proc },
  launch: Launch,
): Either<Finding, number> {
  const judged = proc.own().map((view) => ({ pid: view.pid, kind: recognise(view, launch) }));
  const ours = judged.filter(({ kind }) => kind === 'ours');
  const unclear = judged.find(({ kind }) => kind === 'unclear');
  const [first, second] = ours;
  if (second !== undefined || (first === undefined && unclear !== undefined)) {
    const pids = judged.filter(({ kind }) => kind !== 'other').map(({ pid }) => pid);
    return left(uncertain(`one of the processes ${pids.join(', ')} may be its own`));
  }
  if (first === undefined) return left(gone('it never started'));
  const handle = libc.openProcess(first.pid);
  if (handle === undefined) return left(gone('its process had ended'));
  // The number may have changed hands before the handle was opened, so it is recognised again through what it names now.
  const same = proc.own().some((view) => view.pid === first.pid && recognise(view, launch) === 'ours');
  if (same) return right(handle);
  const ended = libc.ended([handle])[0] === true;
  closeSync(handle);
  return left(ended ? gone('its process had ended') : uncertain(`process ${first.pid} changed while it was looked at`));
}
