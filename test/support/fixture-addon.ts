/** Makes package folders of the fixture add-ons (see test/fixtures/addons/README.md). */
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/contract/json.js';

const SOURCE = join(process.cwd(), 'test', 'fixtures', 'addons', 'counter');
const PYTHONS = ['/usr/bin/python3', '/usr/local/bin/python3', '/bin/python3'];

export interface FixtureOptions {
  readonly id?: string;
  readonly version?: string;
  readonly behaviour?: JsonObject;
  /** Added to the manifest's capabilities, for example to make the startup line long. */
  readonly capabilities?: JsonObject;
}

export interface FixturePackage {
  readonly packageDir: string;
  readonly executable: string;
  readonly manifest: JsonObject & { readonly capabilities: JsonObject };
}

/** The first Python 3 at a usual place; a shebang cannot search, since an add-on gets no PATH. */
export function python(): string {
  const found = PYTHONS.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`these tests need Python 3 at one of ${PYTHONS.join(', ')}`);
  return found;
}

/** Writes the tiny add-on into `packageDir`, which is created; `arguments` of its interpreter stay as they are. */
export function tinyPackage(packageDir: string): Pick<FixturePackage, 'packageDir' | 'executable'> {
  mkdirSync(packageDir, { recursive: true });
  const source = readFileSync(join(SOURCE, '..', 'tiny', 'addon.py'), 'utf8');
  const executable = join(packageDir, 'addon.py');
  writeFileSync(executable, source.replace('#!/usr/bin/python3', `#!${python()}`));
  chmodSync(executable, 0o755);
  return { packageDir, executable: 'addon.py' };
}

/** Writes the counter add-on into `packageDir`, which is created. */
export function counterPackage(packageDir: string, options: FixtureOptions = {}): FixturePackage {
  mkdirSync(packageDir, { recursive: true });
  const source = readFileSync(join(SOURCE, 'addon.py'), 'utf8');
  const executable = join(packageDir, 'addon.py');
  writeFileSync(executable, source.replace(/^#!.*$/m, `#!${python()}`));
  chmodSync(executable, 0o755);
  const plain = JSON.parse(readFileSync(join(SOURCE, 'manifest.json'), 'utf8')) as FixturePackage['manifest'];
  const manifest = {
    ...plain,
    id: options.id ?? 'counter',
    version: options.version ?? '1.0.0',
    arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
    capabilities: { ...plain.capabilities, ...options.capabilities },
  };
  writeFileSync(join(packageDir, 'manifest.json'), JSON.stringify(manifest));
  if (options.behaviour !== undefined)
    writeFileSync(join(packageDir, 'behaviour.json'), JSON.stringify(options.behaviour));
  return { packageDir, executable: 'addon.py', manifest };
}
