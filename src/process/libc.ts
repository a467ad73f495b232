/**
 * The few kernel calls Node does not offer, through koffi: locks, process handles, pipes, close-on-exec.
 *
 * koffi is loaded at the first call, so that a command which needs no handle does not pay for it. The numbers of the
 * raw system calls are the same on x86-64 and arm64. `docs/adr/process-handles-by-ffi.md` says why this is an FFI.
 */
import { createRequire } from 'node:module';

/** Kernel calls with their errors as values where an error is an ordinary answer; every other error throws. */
export interface Libc {
  /** Takes an exclusive lock without waiting; false when another open file holds it. Released when `fd` is closed. */
  lockExclusive(fd: number): boolean;
  /** A handle that names one process for ever, whatever becomes of its number; undefined when there is none. */
  openProcess(pid: number): number | undefined;
  /** False when the process has ended. `group` also reaches the processes in its group (Linux 6.9; else only itself). */
  signal(handle: number, signal: number, group?: boolean): boolean;
  /** For each handle, whether its process has ended. Does not wait. */
  ended(handles: readonly number[]): boolean[];
  /** Clears O_NONBLOCK, which belongs to the open file that parent and child share. */
  setBlocking(fd: number): void;
  /** A one-way pipe, both ends close-on-exec. */
  pipe(): { readonly read: number; readonly write: number };
  /** Marks every descriptor from `first` on close-on-exec, so that a child gets only those it is handed. */
  closeOnExecFrom(first: number): void;
  /**
   * Limits one resource of a process; undefined gives it what this process has. `hard`: the process cannot raise it
   * again, and neither can anyone without a privilege, so a greater value reaches it only as far as the first one.
   */
  setLimit(pid: number, resource: number, value: number | undefined, hard: boolean): void;
  /** Writes the file system that holds `fd` to its disk, on a thread of its own; rejects with `EIO` when any of it failed. */
  syncFileSystem(fd: number): Promise<void>;
  /** Opens a path below a directory; refuses a symbolic link in any component and every way out of the directory. */
  openBeneath(directory: number, path: string, flags: number, mode: number): number;
}

/** A kernel call that failed for a reason its caller has no answer to. */
export class LibcError extends Error {
  constructor(
    readonly call: string,
    readonly code: string,
  ) {
    super(`${call} failed: ${code}`);
    this.name = 'LibcError';
  }
}

export const RLIMIT_DATA = 2;
export const RLIMIT_NOFILE = 7;
const NR_PIDFD_SEND_SIGNAL = 424;
const NR_PIDFD_OPEN = 434;
const NR_CLOSE_RANGE = 436;
const NR_OPENAT2 = 437;
const LOCK_EX_NB = 6;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const CLOSE_RANGE_CLOEXEC = 4;
const SIGNAL_PROCESS_GROUP = 4;
const RESOLVE_BENEATH_NO_LINKS = 0x08 | 0x04 | 0x02;
const POLLIN = 1;
const POLLFD_BYTES = 8;
const RLIMIT_BYTES = 16;

type Native = ((...args: unknown[]) => number) & {
  async(...args: [...unknown[], (error: Error | null, result: number) => void]): void;
};
interface Koffi {
  load(path: string | null): { func(definition: string): Native };
  errno(): number;
  readonly os: { readonly errno: Readonly<Record<string, number>> };
}

let loaded: Libc | undefined;

/** The process's own C library; loaded once. Throws when the native module is missing. */
export function libc(): Libc {
  loaded ??= bind(createRequire(import.meta.url)('koffi') as Koffi);
  return loaded;
}

function bind(koffi: Koffi): Libc {
  const library = koffi.load(null);
  const flock = library.func('int flock(int fd, int op)');
  const fcntl = library.func('int fcntl(int fd, int cmd, long arg)');
  const pipe2 = library.func('int pipe2(_Out_ int *fds, int flags)');
  const prlimit = library.func('int prlimit(int pid, int resource, void *wanted, void *present)');
  const syncfs = library.func('int syncfs(int fd)');
  const poll = library.func('int poll(void *fds, unsigned long count, int timeout)');
  // Fixed arity: a variadic declaration would need a type beside every argument.
  const syscall = library.func('long syscall(long n, long a, long b, long c, long d, long e, long f)');
  const openat2 = library.func('long syscall(long n, long dir, const char *path, void *how, long size)');
  // EWOULDBLOCK is EAGAIN by another name; the last entry of a number wins, so EAGAIN goes last.
  const named = [...Object.entries(koffi.os.errno), ['EAGAIN', koffi.os.errno.EAGAIN ?? 11] as const];
  const names = new Map(named.map(([name, value]) => [value, name]));
  const errno = () => names.get(koffi.errno()) ?? `errno ${koffi.errno()}`;
  const fail = (call: string): never => {
    throw new LibcError(call, errno());
  };
  const send = (handle: number, signal: number, flags: number): string | undefined =>
    syscall(NR_PIDFD_SEND_SIGNAL, handle, signal, 0, flags, 0, 0) === 0 ? undefined : errno();

  return {
    lockExclusive: (fd) => flock(fd, LOCK_EX_NB) === 0 || (errno() === 'EAGAIN' ? false : fail('flock')),
    openProcess: (pid) => {
      const handle = syscall(NR_PIDFD_OPEN, pid, 0, 0, 0, 0, 0);
      return handle >= 0 ? handle : errno() === 'ESRCH' ? undefined : fail('pidfd_open');
    },
    signal: (handle, signal, group = false) => {
      let failure = send(handle, signal, group ? SIGNAL_PROCESS_GROUP : 0);
      if (failure === 'EINVAL' && group) failure = send(handle, signal, 0);
      if (failure === undefined) return true;
      if (failure === 'ESRCH') return false;
      throw new LibcError('pidfd_send_signal', failure);
    },
    ended: (handles) => {
      const fds = Buffer.alloc(handles.length * POLLFD_BYTES);
      handles.forEach((handle, index) => {
        fds.writeInt32LE(handle, index * POLLFD_BYTES);
        fds.writeInt16LE(POLLIN, index * POLLFD_BYTES + 4);
      });
      if (poll(fds, handles.length, 0) < 0) fail('poll');
      return handles.map((_, index) => (fds.readInt16LE(index * POLLFD_BYTES + 6) & POLLIN) !== 0);
    },
    setBlocking: (fd) => {
      const flags = fcntl(fd, F_GETFL, 0);
      if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) fail('fcntl');
    },
    pipe: () => {
      const ends = [-1, -1];
      if (pipe2(ends, O_CLOEXEC) !== 0) fail('pipe2');
      return { read: ends[0] as number, write: ends[1] as number };
    },
    closeOnExecFrom: (first) => {
      if (syscall(NR_CLOSE_RANGE, first, 0xffff_ffff, CLOSE_RANGE_CLOEXEC, 0, 0, 0) !== 0) fail('close_range');
    },
    setLimit: (pid, resource, value, hard) => {
      const own = Buffer.alloc(RLIMIT_BYTES);
      const present = Buffer.alloc(RLIMIT_BYTES);
      if (prlimit(0, resource, null, own) !== 0 || prlimit(pid, resource, null, present) !== 0) fail('prlimit');
      const most = present.readBigUInt64LE(8);
      const asked = value === undefined ? own.readBigUInt64LE(0) : BigInt(value);
      const wanted = Buffer.alloc(RLIMIT_BYTES);
      wanted.writeBigUInt64LE(asked < most ? asked : most, 0);
      wanted.writeBigUInt64LE(hard && value !== undefined && asked < most ? asked : most, 8);
      if (!wanted.equals(present) && prlimit(pid, resource, wanted, null) !== 0) fail('prlimit');
    },
    syncFileSystem: (fd) =>
      new Promise((resolve, reject) => {
        syncfs.async(fd, (error, result) => {
          if (error === null && result === 0) resolve();
          // The number of the error stays on the other thread; in the shape of an error of Node's own file system.
          else reject(Object.assign(new LibcError('syncfs', 'EIO'), { syscall: 'syncfs' }));
        });
      }),
    openBeneath: (directory, path, flags, mode) => {
      const how = Buffer.alloc(24);
      how.writeBigUInt64LE(BigInt(flags | O_CLOEXEC), 0);
      how.writeBigUInt64LE(BigInt(mode), 8);
      how.writeBigUInt64LE(BigInt(RESOLVE_BENEATH_NO_LINKS), 16);
      const fd = openat2(NR_OPENAT2, directory, path, how, how.length);
      return fd >= 0 ? fd : fail('openat2');
    },
  };
}
