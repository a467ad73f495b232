/** Starts an add-on with exactly what the contract hands over: two arguments, two variables, five descriptors (07:24-31). */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { type Either, left, right } from '../contract/fp.js';
import { Child, type Exit } from './child.js';
import { codeOf } from './files.js';
import type { Libc } from './libc.js';
import type { LogSink, OutputName } from './log-sink.js';
import type { Proc } from './proc.js';

export const ARGUMENT = '--localai-addon-v1';
const BACKLOG = 128;
/** A coverage run sets this in the owner and Node would hand it on; undefined keeps it out. */
const ENVIRONMENT = { LANG: 'C', TZ: 'UTC', NODE_V8_COVERAGE: undefined };

/**
 * Left when the kernel would not run this file as it is: exec hands anything executable that is neither ELF nor `#!`
 * to a shell, and there is no shell (07:24-25).
 */
export function checkExecutable(path: string): Either<string, void> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return left(`its executable cannot be opened (${codeOf(error) ?? 'unknown error'})`);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return left('its executable is not a regular file');
    if ((stat.mode & 0o111) === 0) return left('its executable is not marked executable');
    const head = Buffer.alloc(4);
    const length = readSync(fd, head, 0, 4, 0);
    const elf = length === 4 && head.equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
    return elf || head.toString('latin1', 0, 2) === '#!'
      ? right(undefined)
      : left('its executable is neither an ELF program nor a script that names its interpreter');
  } finally {
    closeSync(fd);
  }
}

export interface SpawnOptions {
  readonly libc: Libc;
  readonly proc: Proc;
  readonly executable: string;
  /** Absolute; an existing directory. */
  readonly dataDir: string;
  readonly sink: LogSink;
}

/**
 * Listens on a loopback port and starts the process with it. Between `listen` and the spawn the event loop never
 * turns, so the owner cannot accept a connection that was meant for the add-on. Left: nothing was started.
 */
export function spawnAddon(options: SpawnOptions): Promise<Either<string, Child>> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(left(`no loopback port could be opened for it (${codeOf(error)})`)));
    server.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG }, () => {
      try {
        start(server, options, resolve);
      } catch (error) {
        resolve(
          left(
            `it could not be started (${codeOf(error) ?? (error instanceof Error ? error.message : String(error))})`,
          ),
        );
      } finally {
        server.close();
      }
    });
  });
}

/** Runs within one turn of the event loop, from the listening socket to the process handle. */
function start(server: Server, options: SpawnOptions, resolve: (started: Either<string, Child>) => void): void {
  const { libc, proc, executable, dataDir, sink } = options;
  const address = server.address();
  const listener = (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
  if (address === null || typeof address === 'string') throw new Error('the loopback port has no address');
  const endpoint = `http://127.0.0.1:${address.port}`;
  libc.setBlocking(listener);
  const opened: number[] = [];
  const pipe = () => {
    const ends = libc.pipe();
    opened.push(ends.read, ends.write);
    return ends;
  };
  try {
    const [line, out, err] = [pipe(), pipe(), pipe()];
    libc.closeOnExecFrom(3);
    const child = spawn(executable, [ARGUMENT], {
      cwd: dataDir,
      env: ENVIRONMENT as NodeJS.ProcessEnv,
      stdio: ['ignore', out.write, err.write, listener, line.read],
      detached: true,
    });
    const exited = exitOf(child);
    if (child.pid === undefined) {
      child.once('error', (error) => resolve(left(`it could not be started (${codeOf(error) ?? error.message})`)));
      return;
    }
    const identity = identify(libc, proc, child, child.pid);
    if (identity._tag === 'Left') {
      void exited.then(() => resolve(identity));
      return;
    }
    for (const fd of [out.write, err.write, line.read]) release(opened, fd);
    const outputs = [reader(opened, out.read, sink, 'stdout'), reader(opened, err.read, sink, 'stderr')];
    const startup = new Socket({ fd: take(opened, line.write), readable: false, writable: true });
    startup.unref();
    const { handle, startTime } = identity.right;
    resolve(right(new Child(libc, child.pid, startTime, endpoint, handle, startup, exited, outputs)));
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

interface Identified {
  readonly handle: number;
  readonly startTime: string;
}

/** The handle and the start time; both are there even when the child is dead already, since it is not yet reaped. */
function identify(libc: Libc, proc: Proc, child: ChildProcess, pid: number): Either<string, Identified> {
  let handle: number | undefined;
  try {
    handle = libc.openProcess(pid);
    const startTime = proc.startTime(pid);
    if (handle !== undefined && startTime !== undefined) return right({ handle, startTime });
  } catch {
    // Too many open files, for example; the child must not live on without a handle.
  }
  // Within the turn of the spawn the number can mean nothing but this child, which nothing has reaped yet.
  child.kill('SIGKILL');
  if (handle !== undefined) closeSync(handle);
  return left('its process could not be identified by the kernel, so it was ended at once');
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal !== null ? { signal } : code !== null ? { code } : {}));
    // Without a pid there is no exit event; the error says why nothing was started.
    child.once('error', () => {
      if (child.pid === undefined) resolve({});
    });
  });
}

function take(opened: number[], fd: number): number {
  opened.splice(opened.indexOf(fd), 1);
  return fd;
}

function release(opened: number[], fd: number): void {
  closeSync(take(opened, fd));
}

function reader(opened: number[], fd: number, sink: LogSink, name: OutputName): Socket {
  const socket = new Socket({ fd: take(opened, fd), readable: true, writable: false });
  socket.unref();
  sink.attach(socket, name);
  socket.resume();
  return socket;
}
