/** The built package as its owner runs it: a real process with its listener on descriptor 3 and its startup line on 4. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PACKAGE = fileURLToPath(new URL('../../../../../dist/addons-build/tables/', import.meta.url));
const CREDENTIAL = 'c'.repeat(43);
const INCARNATION = 'ab'.repeat(16);
export const GENERATION = 3;

export const LIMITS = {
  manifestBytes: 65_536,
  envelopeBytes: 2_097_152,
  payloadBytes: 1_048_576,
  batchSize: 100,
  queryDepth: 8,
  queryRows: 1_000,
  queryResultBytes: 1_048_576,
  proposalExpiryMs: 300_000,
  concurrency: 4,
};

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes
  readonly body: any;
}

/** A call that may not have been answered yet. */
export interface Begun {
  readonly answer: Promise<Answer>;
  leave(): void;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

type Args = Readonly<Record<string, unknown>>;

export interface EnvelopeOptions {
  readonly resourceId?: string | undefined;
  readonly operationId?: string;
  readonly userId?: string;
  readonly credentialId?: string;
  readonly generation?: number;
  readonly scope?: string;
  readonly expiresAt?: string;
}

export const DATABASE = 'res-one';

export function envelope(scope: string, action: string, args: Args, options: EnvelopeOptions = {}) {
  const resourceId = 'resourceId' in options ? options.resourceId : DATABASE;
  return {
    request: {
      addonId: 'tables',
      ...(resourceId === undefined ? {} : { resourceId }),
      operationId: options.operationId ?? 'op-read',
      generation: options.generation ?? GENERATION,
      action,
      arguments: args,
    },
    authority: {
      actor: {
        userId: options.userId ?? 'user-1',
        credentialId: options.credentialId ?? 'cred-1',
        mode: 'local-owner',
      },
      scope: options.scope ?? scope,
      expiresAt: options.expiresAt ?? new Date(Date.now() + 60_000).toISOString(),
    },
  };
}

function listen(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, () => resolve(server)));
}

/** The parent of a running process; `undefined` when it has ended, whether somebody waited for it or not. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

export interface StartOptions {
  readonly dataDir?: string;
  readonly executable?: string;
  readonly limits?: Partial<typeof LIMITS>;
}

/** A running add-on with the calls of the wire. Every one that is started must be stopped. */
export class Addon {
  stderr = '';

  private constructor(
    readonly process: ChildProcess,
    readonly dataDir: string,
    readonly port: number,
    readonly registration: Args,
    readonly exited: Promise<number | null>,
  ) {
    process.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
  }

  static async start(options: StartOptions = {}): Promise<Addon> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tables-test-'));
    const executable = options.executable ?? join(PACKAGE, 'bin/tables');
    const manifest = JSON.parse(readFileSync(join(PACKAGE, 'manifest.json'), 'utf8')) as { capabilities: Args };
    const server = await listen();
    const { port } = server.address() as { port: number };
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    const child = spawn(executable, ['--localai-addon-v1'], {
      cwd: dataDir,
      env: { LANG: 'C', TZ: 'UTC', NODE_V8_COVERAGE: undefined },
      stdio: ['ignore', 'ignore', 'pipe', fd, 'pipe'],
    });
    server.close();
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const registration = {
      protocol: 1,
      addonId: 'tables',
      version: '1.0.0',
      generation: GENERATION,
      incarnation: INCARNATION,
      endpoint: `http://127.0.0.1:${port}`,
      capabilities: manifest.capabilities,
    };
    const line = { registration, credential: CREDENTIAL, dataDir, limits: { ...LIMITS, ...options.limits } };
    const addon = new Addon(child, dataDir, port, registration, exited);
    addon.startupPipe.on('error', () => {});
    addon.startupPipe.write(`${JSON.stringify(line)}\n`);
    return addon;
  }

  get startupPipe(): NodeJS.WritableStream & { destroy(): void } {
    return this.process.stdio[4] as unknown as NodeJS.WritableStream & { destroy(): void };
  }

  /** One HTTP call on a connection of its own. Rejects when the process cannot answer. */
  raw(path: string, text: string | undefined, options: CallOptions = {}): Promise<Answer> {
    return this.begin(path, text, options).answer;
  }

  /** Begins a call from which the caller may go away before it is answered; its answer rejects then. */
  begin(path: string, text: string | undefined, options: CallOptions = {}): Begun {
    const given = {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-localai-incarnation': INCARNATION,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const method = options.method ?? (text === undefined ? 'GET' : 'POST');
    const sent = httpRequest({ host: '127.0.0.1', port: this.port, path, method, headers, agent: false });
    const answer = new Promise<Answer>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(body || 'null') });
        });
      });
    });
    sent.end(text);
    return { answer, leave: () => void sent.destroy() };
  }

  /** Sends a call and goes away after a while without waiting for its answer. */
  async leave(path: string, text: string, afterMs: number): Promise<void> {
    const { answer, leave } = this.begin(path, text);
    answer.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    leave();
  }

  call(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.raw(path, JSON.stringify(body), options);
  }

  read(args: Args, options: EnvelopeOptions = {}): Promise<Answer> {
    return this.call('/read', envelope('read', 'read', args, options));
  }

  query(sql: string, parameters?: readonly unknown[]): Promise<Answer> {
    return this.read({ tool: 'query', sql, ...(parameters === undefined ? {} : { parameters }) });
  }

  preview(action: string, args: Args, options: EnvelopeOptions = {}): Promise<Answer> {
    return this.call('/preview', envelope('preview', action, args, options));
  }

  apply(action: string, args: Args, revision: unknown, options: EnvelopeOptions = {}): Promise<Answer> {
    return this.call('/apply', { envelope: envelope('apply', action, args, options), revision });
  }

  receipt(operationId: string): Promise<Answer> {
    return this.call('/receipt', { operationId });
  }

  /** Preview, then apply with the revision the preview saw: what a confirmed proposal does. */
  async change(action: string, operationId: string, args: Args, options: EnvelopeOptions = {}): Promise<Answer> {
    const previewed = await this.preview(action, args, { ...options, operationId });
    if (previewed.status !== 200) return previewed;
    return this.apply(action, args, previewed.body.revision, { ...options, operationId });
  }

  async createDatabase(resourceId = DATABASE, name = 'Notes'): Promise<void> {
    const args = { tool: 'create-database', name };
    const created = await this.change('create', `create-${resourceId}`, args, { resourceId });
    if (created.body?.state !== 'committed') throw new Error(`no database: ${JSON.stringify(created.body)}`);
  }

  /** The ids of the query helpers it has started and not yet ended. */
  helpers(): readonly number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === this.process.pid)
      .map(Number);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }

  /** Ends the process as an owner does, and removes the data. */
  async stop(): Promise<void> {
    this.startupPipe.destroy();
    await this.exited;
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
