/** From what a publisher names (a folder, or the configuration in a checkout) to a layout (15:9-19). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Either, isLeft } from '../../contract/fp.js';
import { buildImage, type ImageInput } from '../layout/image-build.js';
import type { VerifiedLayout } from '../layout/layout-verify.js';
import { assemblePackage } from './assemble.js';
import { readPackageConfig } from './platforms.js';

export interface PackageInput extends Omit<ImageInput, 'folder' | 'runtime'> {
  /** A folder that is the whole package, or a configuration. */
  readonly from: { readonly folder: string } | { readonly config: string; readonly executable?: string };
}

/** Builds and verifies; see `buildImage`. */
export async function packageImage(input: PackageInput, layout: string): Promise<Either<string, VerifiedLayout>> {
  const { from, ...rest } = input;
  if ('folder' in from) return buildImage({ ...rest, folder: from.folder }, layout);
  const config = await readPackageConfig(from.config);
  if (isLeft(config)) return config;
  const folder = await mkdtemp(join(tmpdir(), 'castellan-package-'));
  try {
    const { executable } = from;
    const assembly = {
      config: config.right,
      platform: input.platform,
      ...(executable === undefined ? {} : { executable }),
    };
    const assembled = await assemblePackage(assembly, folder);
    return isLeft(assembled) ? assembled : await buildImage({ ...rest, folder, runtime: config.right.runtime }, layout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
