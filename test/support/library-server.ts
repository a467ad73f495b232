/** A library of the counter add-on on loopback: the packages are built as any author would, and served over plain HTTP. */
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { renderIndex } from '../../src/packages/builder/index-writer.js';
import { buildPackage } from '../../src/packages/builder/package-build.js';
import { counterPackage, type FixtureOptions } from './fixture-addon.js';
import { tempDir } from './temp-dir.js';

export interface TestLibrary {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves one package for each of `packages`, version by version. */
export async function counterLibrary(packages: readonly FixtureOptions[] = [{}]): Promise<TestLibrary> {
  const directory = tempDir('library');
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const bytes = files.get(request.url ?? '');
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const entries = [];
  for (const [index, options] of packages.entries()) {
    counterPackage(join(directory, String(index)), options);
    const built = await buildPackage(join(directory, String(index)), join(directory, `${index}.tar`));
    if (built._tag === 'Left') throw new Error(built.left);
    files.set(`/${index}.tar`, readFileSync(join(directory, `${index}.tar`)));
    entries.push({ manifest: built.right.manifest, digest: built.right.digest, artifact: `${origin}/${index}.tar` });
  }
  const text = renderIndex(entries);
  if (text._tag === 'Left') throw new Error(text.left);
  files.set('/index.yaml', Buffer.from(text.right));
  return {
    url: `${origin}/index.yaml`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Serves one package folder whose archive is too large to hold in memory; it is read from disk as it is sent. */
export async function folderLibrary(folder: string): Promise<TestLibrary & { served(): number }> {
  const archive = join(tempDir('library'), 'package.tar');
  const built = await buildPackage(folder, archive);
  if (built._tag === 'Left') throw new Error(built.left);
  let index = '';
  let sent = 0;
  const server = createServer((request, response) => {
    if (request.url === '/index.yaml') return response.end(index);
    const file = createReadStream(archive);
    file.on('data', (chunk) => {
      sent += chunk.length;
    });
    return file.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { manifest, digest } = built.right;
  const text = renderIndex([{ manifest, digest, artifact: `${origin}/package.tar` }]);
  if (text._tag === 'Left') throw new Error(text.left);
  index = text.right;
  return {
    url: `${origin}/index.yaml`,
    served: () => sent,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
