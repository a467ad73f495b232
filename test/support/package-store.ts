/** A package store over a temporary folder, fed from bytes in memory: what the tests of staging share. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ids, PackageStore, Progress } from '../../src/commands/ports.js';
import type { Release, SourcePolicy } from '../../src/contract/api.js';
import { isLeft } from '../../src/contract/fp.js';
import { hostProfile } from '../../src/contract/manifest.js';
import type { Refusal } from '../../src/contract/refusal.js';
import type { ArtifactFetcher } from '../../src/packages/artifact-fetcher.js';
import { createTarFetcher } from '../../src/packages/artifact-fetcher.js';
import type { Fetch } from '../../src/packages/http-get.js';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../../src/packages/package-limits.js';
import type { SyncFileSystem } from '../../src/packages/stage-sync.js';
import { createPackageStore } from '../../src/packages/store.js';
import { realClock } from './packages.js';
import { archive, file } from './tar.js';
import { removeTree } from './temp-dir.js';

export const HOST = { ...hostProfile('linux', 'x64') };
export const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A manifest without a UI; `changes` replace top-level fields. */
export const manifest = (changes: object = {}) => ({
  schemaVersion: 1,
  id: 'sample',
  version: '1.0.0',
  executable: 'bin/run',
  os: 'linux',
  arch: 'amd64',
  host: { min: 1, max: 1 },
  api: { min: 1, max: 2 },
  protocol: { min: 1, max: 1 },
  dataFormat: { min: 1, max: 1 },
  capabilities: { service: true },
  ...changes,
});
export const withUi = (ui: object) =>
  manifest({ capabilities: { service: true, ui: { sdk: { min: 1, max: 2 }, ...ui } } });
export const manifestFile = (value: object = manifest()) => file('manifest.json', JSON.stringify(value));
export const executable = (content = '#!/bin/sh\nexit 0\n') => file('bin/run', content, { mode: 0o755 });
/** A correct small package, with `extra` entries at its end. */
export const sample = (...extra: Uint8Array[]) => archive(manifestFile(), executable(), ...extra);

export const release = (bytes: Uint8Array, changes: Partial<Release> = {}): Release => ({
  sourceId: 'here',
  kind: 'addon',
  id: 'sample',
  name: 'Sample',
  version: '1.0.0',
  artifact: 'https://library.example/sample.tar',
  digest: sha256(bytes),
  os: 'linux',
  arch: 'amd64',
  ...changes,
});

/** Answers every request with `bytes`, in pieces of `chunk` bytes. */
export const serving =
  (bytes: Uint8Array, chunk = 65_536): Fetch =>
  async () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(at, at + chunk));
        at += chunk;
      },
    });
    return new Response(body, { headers: { 'content-length': String(bytes.length) } });
  };

let counter = 0;
export const testIds: Ids = {
  hex: (bytes) => {
    counter += 1;
    return counter.toString(16).padStart(bytes * 2, '0');
  },
  bytes: (length) => new Uint8Array(length),
};

export interface Bench {
  readonly root: string;
  readonly store: PackageStore;
  names(): readonly string[];
}

/** Runs `use` with a store in a new folder, and removes the folder whatever happens. */
export async function withStore<A>(
  fetch: Fetch,
  use: (bench: Bench) => Promise<A>,
  options: { limits?: Partial<PackageLimits>; artifacts?: ArtifactFetcher; syncFileSystem?: SyncFileSystem } = {},
): Promise<A> {
  const base = mkdtempSync(join(tmpdir(), 'castellan-packages-'));
  const root = join(base, 'packages');
  try {
    const store = createPackageStore({
      root,
      host: HOST,
      ids: testIds,
      artifacts: options.artifacts ?? createTarFetcher({ clock: realClock, fetch }),
      limits: { ...DEFAULT_PACKAGE_LIMITS, ...options.limits },
      ...(options.syncFileSystem === undefined ? {} : { syncFileSystem: options.syncFileSystem }),
    });
    return await use({ root, store, names: () => list(root) });
  } finally {
    removeTree(base);
  }
}

function list(root: string): readonly string[] {
  try {
    return readdirSync(root).sort();
  } catch {
    return [];
  }
}

export interface StageAsk {
  readonly release?: Partial<Release>;
  readonly policy?: Partial<SourcePolicy>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export const stageIn = (store: PackageStore, bytes: Uint8Array, ask: StageAsk = {}) =>
  store.stage(
    release(bytes, ask.release),
    { requireSignature: false, ...ask.policy },
    { signal: ask.signal ?? new AbortController().signal, onProgress: ask.onProgress ?? (() => undefined) },
  );

/** The refusal of staging `bytes`, after checking that nothing was left behind. */
export const refusalOf = (
  bytes: Uint8Array,
  ask: StageAsk & { limits?: Partial<PackageLimits>; fetch?: Fetch } = {},
): Promise<Refusal> =>
  withStore(
    ask.fetch ?? serving(bytes),
    async ({ store, names }) => {
      const result = await stageIn(store, bytes, ask);
      if (!isLeft(result)) throw new Error('the package was accepted');
      if (names().length > 0) throw new Error(`left behind: ${names().join(' ')}`);
      return result.left;
    },
    ask.limits === undefined ? {} : { limits: ask.limits },
  );

/** Stages and publishes `bytes` and answers the folder's name. */
export async function published(store: PackageStore, bytes: Uint8Array, ask: StageAsk = {}): Promise<string> {
  const staged = await stageIn(store, bytes, ask);
  if (isLeft(staged)) throw new Error(staged.left.message);
  const done = await store.publish(staged.right);
  if (isLeft(done)) throw new Error(done.left.message);
  return done.right.directory;
}
