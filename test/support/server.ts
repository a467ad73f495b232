/** A real server process on a data path of its own, and a client that speaks to it as a browser or a program would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeTree } from './temp-dir.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const MAIN = join(ROOT, 'dist/cli/main.js');
const READY_MS = 30_000;

export interface RunningServer {
  readonly address: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Everything it wrote so far. */
  output(): string;
  /** Sends a signal and resolves with the exit code (or the signal) once it ended. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export function dataPath(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'castellan-'));
  return { path, remove: () => removeTree(path) };
}

/** Starts `castellan run` and resolves when it logged that it is ready; rejects with its output when it did not. */
export function startServer(
  path: string,
  args: readonly string[] = [],
  wrap: readonly string[] = [],
): Promise<RunningServer> {
  const command = [process.execPath, MAIN, 'run'];
  return spawnCommand([...wrap, ...command, '--data-path', path, '--address', '127.0.0.1:0', ...args]);
}

/** The same for a whole command line, and as another user where `as` says so. */
export function spawnCommand(
  line: readonly string[],
  as: { readonly uid?: number; readonly gid?: number } = {},
): Promise<RunningServer> {
  const child = spawn(line[0] as string, line.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], ...as });
  let out = '';
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 1)),
  );
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready within ${READY_MS} ms:\n${out}`));
    }, READY_MS);
    const onChunk = (chunk: Buffer) => {
      out += chunk;
      const ready = /"address":"([^"]+)".*"msg":"ready"/.exec(out);
      if (ready?.[1] === undefined) return;
      clearTimeout(timer);
      resolve({
        address: ready[1],
        pid: child.pid as number,
        child,
        output: () => out,
        stop: (signal = 'SIGTERM') => {
          child.kill(signal);
          return ended;
        },
      });
    };
    child.stdout.on('data', onChunk);
    child.stderr.on('data', onChunk);
    void ended.then((how) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${how} before it was ready:\n${out}`));
    });
  });
}

export interface Reply<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

/** A JSON client of one server; `browser` adds what a browser sends from the server's own page. */
export function clientOf(address: string) {
  const call = async <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> => {
    const response = await fetch(`${address}${path}`, {
      method,
      // A kept connection may be closed by the server just when it is used again, which would look like a crash.
      headers: {
        Connection: 'close',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as T, headers: response.headers };
  };
  const surface = (subject: string) => ({
    Origin: address,
    'Sec-Fetch-Site': 'same-origin',
    'Sec-Fetch-Mode': 'cors',
    'Sec-Fetch-Dest': 'empty',
    'X-LocalAI-Confirm': subject,
  });
  return {
    get: <T = Record<string, unknown>>(path: string, headers?: Record<string, string>) =>
      call<T>('GET', path, undefined, headers),
    post: <T = Record<string, unknown>>(path: string, body: unknown, headers?: Record<string, string>) =>
      call<T>('POST', path, body, headers),
    /** A POST from the person's own page, which confirms `subject`. */
    own: <T = Record<string, unknown>>(path: string, subject: string, body: unknown) =>
      call<T>('POST', path, body, surface(subject)),
    dispatch: <T = Record<string, unknown>>(request: Record<string, unknown>) =>
      call<T>('POST', '/api/addons/dispatch', request),
  };
}
