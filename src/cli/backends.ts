/** Backends of libraries on this machine: their flags, their directory, and what the machine can do (04:279-283, 331-382). */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_BACKEND_BYTES } from '../packages/package-limits.js';

export interface BackendOptions {
  /** Absent for the folder `backends` of the data path. */
  readonly path?: string;
  /** Largest compressed image, in bytes. */
  readonly maxBytes: number;
  /** Nothing of a library that requires no signature. */
  readonly requireIntegrity: boolean;
}

export const DEFAULT_BACKENDS: BackendOptions = { maxBytes: DEFAULT_BACKEND_BYTES, requireIntegrity: false };

export interface RawBackendOptions {
  readonly backendsPath?: string;
  readonly addonsBackendMaxBytes: number;
  readonly requireBackendIntegrity: boolean;
}

function bytes(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number of bytes from 1.');
  return value;
}

export function addBackendOptions(command: Command, toggle: (name: string, description: string) => Option): Command {
  return command
    .addOption(
      new Option('--backends-path <dir>', 'where backends are installed (default: backends in the data path)').env(
        'LOCALAI_BACKENDS_PATH',
      ),
    )
    .addOption(
      new Option('--addons-backend-max-bytes <bytes>', 'largest compressed backend image')
        .env('LOCALAI_ADDONS_BACKEND_MAX_BYTES')
        .argParser(bytes)
        .default(DEFAULT_BACKEND_BYTES),
    )
    .addOption(
      toggle('require-backend-integrity', 'install backends only from libraries that require a signature')
        .env('LOCALAI_REQUIRE_BACKEND_INTEGRITY')
        .default(false),
    );
}

export const backendOptions = (raw: RawBackendOptions): BackendOptions => ({
  maxBytes: raw.addonsBackendMaxBytes,
  requireIntegrity: raw.requireBackendIntegrity,
  ...(raw.backendsPath === undefined ? {} : { path: raw.backendsPath }),
});

/** The directory as an absolute path; links that the operator made on the way to it are resolved here, once. */
export function backendsDirectory(options: BackendOptions, dataPath: string): string {
  const path = resolve(options.path ?? resolve(dataPath, 'backends'));
  return existsSync(path)
    ? realpathSync(path)
    : existsSync(dataPath) && options.path === undefined
      ? resolve(realpathSync(dataPath), 'backends')
      : path;
}

const FORCED = 'LOCALAI_FORCE_META_BACKEND_CAPABILITY';

/** What this machine can do, the best first, for a backend that names images by capability. */
export function hostCapabilities(
  environment: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean = existsSync,
): readonly string[] {
  const forced = environment[FORCED];
  if (forced !== undefined && forced !== '') return [forced];
  const found: string[] = [];
  if (exists('/proc/driver/nvidia/version') || exists('/dev/nvidiactl')) found.push('nvidia');
  if (exists('/dev/kfd')) found.push('amd');
  return found;
}
