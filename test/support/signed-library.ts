/** Versions of the counter add-on as images in a real registry, and the library that lists them: signed, unsigned or signed by someone. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { renderIndex } from '../../src/packages/builder/index-writer.js';
import { buildPackage } from '../../src/packages/builder/package-build.js';
import { counterPackage } from './fixture-addon.js';
import { blob, config, type Image, image, TAR } from './oci-image.js';
import type { RealRegistry } from './registry.js';
import { attach } from './signed-image.js';
import { tempDir } from './temp-dir.js';

export interface Version {
  readonly version: string;
  /** The bundles attached to the image, made when its digest is known. */
  readonly sign?: (image: Image) => Promise<readonly Uint8Array[]>;
}

/** Pushes the versions and serves their library on loopback; `images` are in the order of `versions`. */
export async function signedLibrary(registry: RealRegistry, versions: readonly Version[]) {
  const directory = tempDir('library');
  const images: Image[] = [];
  const entries = [];
  for (const { version, sign } of versions) {
    const folder = join(directory, version);
    const { manifest } = counterPackage(folder, { version });
    const built = await buildPackage(folder, `${folder}.tar`);
    if (built._tag === 'Left') throw new Error(built.left);
    const made = image([blob(TAR, readFileSync(`${folder}.tar`))], {}, config({ architecture: manifest.arch }));
    await registry.push('acme/counter', made, version);
    if (sign !== undefined) await attach(registry, 'acme/counter', made.manifest, await sign(made));
    images.push(made);
    const artifact = `oci://${registry.host}/acme/counter:${version}`;
    entries.push({ manifest: built.right.manifest, digest: made.manifest.digest, artifact });
  }
  const text = renderIndex(entries);
  if (text._tag === 'Left') throw new Error(text.left);
  const server = createServer((_request, response) => response.end(text.right));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.yaml`,
    images,
    close: (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
