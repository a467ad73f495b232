/**
 * The owner root `<data path>/addons`: private, free of symbolic links, locked for the life of the process, and bound
 * to one owner and one storage (06:225-238; wire, "Command line").
 */
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Either, left, right } from '../contract/fp.js';
import { codeOf, openDirectory, within } from './files.js';
import { libc } from './libc.js';
import { bindIdentity, type Identity } from './owner-identity.js';

/** The folders of the root; the journal and the packages look for theirs here and nowhere else. */
export const FOLDERS = ['journal', 'packages', 'data', 'metadata', 'artifacts', 'backups', 'runtime'] as const;
export type Folder = (typeof FOLDERS)[number];

export interface RootRefusal {
  /** `owned`: another process holds the lock. `unsafe`: a link, a foreign owner. `identity`: bound to another owner. */
  readonly kind: 'owned' | 'unsafe' | 'identity' | 'failed';
  readonly message: string;
}

export interface OwnerRoot {
  /** Absolute, with the links of the data path resolved, so that none is on the way to it. */
  readonly path: string;
  readonly identity: Identity;
  /** The path this root was created under, when it is another one: its add-ons must be reported broken, not touched. */
  readonly movedFrom?: string;
  folder(name: Folder): string;
  /** A path of under 40 characters for a name in the root, for sockets: the kernel cuts theirs at 107 bytes. */
  shortPath(name: string): string;
  /** Gives up the lock; the root must not be used afterwards. */
  release(): void;
}

/** Why the add-ons of a moved root are not started (they keep absolute paths); undefined for one that was not moved. */
export function movedReason({ path, movedFrom }: Pick<OwnerRoot, 'path' | 'movedFrom'>): string | undefined {
  return movedFrom === undefined
    ? undefined
    : `The add-on storage was created at ${movedFrom} and is now at ${path}, so no add-on is started and none was changed. Move it back, or mount it at the old path.`;
}

const OWNED: RootRefusal = { kind: 'owned', message: 'addon storage already owned' };

/**
 * Opens or creates the root and takes its lock. The lock is held on the directory as well as on `owner.lock`, so that
 * deleting the lock file under a running owner does not let a second one in.
 */
export function openOwnerRoot(options: {
  readonly dataPath: string;
  readonly ownerId: string;
  readonly storageId: string;
}): Either<RootRefusal, OwnerRoot> {
  let path = join(resolve(options.dataPath), 'addons');
  const held: number[] = [];
  const release = () => {
    for (const fd of held.splice(0)) closeSync(fd);
  };
  try {
    mkdirSync(resolve(options.dataPath), { recursive: true, mode: 0o700 });
    // A link in the data path is the operator's own; it is followed once, here, and everything below is opened without any.
    path = join(realpathSync(options.dataPath), 'addons');
    const refusal = openLocked(path, held);
    if (refusal !== undefined) {
      release();
      return left(refusal);
    }
    const directory = held[0] as number;
    const bound = bindIdentity(directory, { ownerId: options.ownerId, storageId: options.storageId, path });
    if (bound._tag === 'Left') {
      release();
      return left({ kind: 'identity', message: bound.left });
    }
    for (const name of FOLDERS) ensurePrivate(within(directory, name), `${path}/${name}`);
    const movedFrom = bound.right.path === path ? {} : { movedFrom: bound.right.path };
    return right({
      path,
      identity: bound.right,
      ...movedFrom,
      folder: (name) => join(path, name),
      shortPath: (name) => within(directory, name),
      release,
    });
  } catch (error) {
    release();
    return left(failureOf(error, path));
  }
}

/** Opens and locks the directory and the lock file; their descriptors go to `held`, the directory's first. */
function openLocked(path: string, held: number[]): RootRefusal | undefined {
  const directory = ensurePrivate(path, path, held);
  if (!libc().lockExclusive(directory)) return OWNED;
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  const lock = openSync(within(directory, 'owner.lock'), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  held.push(lock);
  const stat = fstatSync(lock);
  if (!stat.isFile() || stat.nlink !== 1) throw new Unsafe(`${path}/owner.lock is not a plain file of its own`);
  requireOwn(stat, `${path}/owner.lock`);
  fchmodSync(lock, 0o600);
  return libc().lockExclusive(lock) ? undefined : OWNED;
}

/** A directory of ours with mode 0700; kept open when `held` is given. `shown` is its path for people. */
function ensurePrivate(path: string, shown: string, held?: number[]): number {
  const fd = openDirectory(path);
  if (held === undefined) {
    try {
      tighten(fd, shown);
    } finally {
      closeSync(fd);
    }
  } else {
    held.push(fd);
    tighten(fd, shown);
  }
  return fd;
}

function tighten(fd: number, shown: string): void {
  const stat = fstatSync(fd);
  requireOwn(stat, shown);
  if ((stat.mode & 0o777) !== 0o700) fchmodSync(fd, 0o700);
}

function requireOwn(stat: Stats, shown: string): void {
  const self = process.geteuid?.();
  if (self !== undefined && stat.uid !== self)
    throw new Unsafe(`${shown} belongs to user ${stat.uid}, and the server runs as user ${self}`);
}

class Unsafe extends Error {}

function failureOf(error: unknown, path: string): RootRefusal {
  const code = codeOf(error);
  if (error instanceof Unsafe)
    return {
      kind: 'unsafe',
      message: `${error.message}. Nothing was changed. Give it to the user that runs the server.`,
    };
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return {
      kind: 'unsafe',
      message: `${path}, or a folder directly in it, is a symbolic link or not a folder. Nothing was changed. Put a real folder there; to keep add-ons on another disk, set the data path to it.`,
    };
  const why = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message: `The add-on storage at ${path} cannot be opened: ${why}.` };
}
