/** A library whose one package, the counter, comes from a real registry with a password, through a proxy that can be made slow. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import type { Manifest } from '../../src/contract/manifest-types.js';
import { renderIndex } from '../../src/packages/builder/index-writer.js';
import { counterPackage } from './fixture-addon.js';
import { config, gzipLayer, image, tarLayer } from './oci-image.js';
import { PASSWORD, startRegistry, USER } from './registry.js';
import { file } from './tar.js';
import { tempDir } from './temp-dir.js';

export interface OciLibrary {
  readonly url: string;
  /** For `--credentials`. */
  readonly credentials: string;
  readonly digest: string;
  /** Compressed bytes of all layers. */
  readonly bytes: number;
  close(): Promise<void>;
}

const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;

/** `extraBytes` of noise make the package as large as a test wants it; blobs come at most `bytesPerSecond` fast. */
export async function ociLibrary(extraBytes: number, bytesPerSecond: number): Promise<OciLibrary> {
  const directory = tempDir('oci-library');
  const { manifest } = counterPackage(join(directory, 'counter'));
  const noise = Buffer.from(Array.from({ length: extraBytes }, (_, at) => (at * 2_654_435_761) >>> 24));
  const source = readFileSync(join(directory, 'counter', 'addon.py'));
  const pushed = image(
    [
      gzipLayer(file('addon.py', source, { mode: 0o755 })),
      tarLayer(file('noise', noise)),
      gzipLayer(file('manifest.json', JSON.stringify(manifest))),
    ],
    {},
    config({ architecture: manifest.arch }),
  );
  const registry = await startRegistry({ auth: { kind: 'htpasswd' }, authorization: () => basic });
  await registry.push('acme/counter', pushed, 'counter-1.0.0');
  let index = '';
  const server = createServer((request, response) => {
    if (request.url === '/index.yaml') return void response.end(index);
    const options = { headers: request.headers, agent: false } as const;
    const forwarded = httpRequest(`${registry.origin}${request.url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(slowly(bytesPerSecond)).pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const artifact = `oci://${host}/acme/counter:counter-1.0.0`;
  const text = renderIndex([{ manifest: manifest as unknown as Manifest, artifact, digest: pushed.manifest.digest }]);
  if (text._tag === 'Left') throw new Error(text.left);
  index = text.right;
  mkdirSync(join(directory, 'secrets'));
  writeFileSync(join(directory, 'secrets', 'registry'), `${USER}:${PASSWORD}\n`, { mode: 0o600 });
  const credentials = join(directory, 'credentials.json');
  const entry = { origin: `http://${host}`, kind: 'basic', secret: { file: join(directory, 'secrets', 'registry') } };
  writeFileSync(credentials, JSON.stringify({ registries: [{ ...entry, allowInsecure: true }] }), { mode: 0o600 });
  return {
    url: `http://${host}/index.yaml`,
    credentials,
    digest: pushed.manifest.digest,
    bytes: pushed.blobs.slice(1).reduce((sum, { size }) => sum + size, 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await registry.close();
    },
  };
}

function slowly(bytesPerSecond: number): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      setTimeout(() => done(null, chunk), (chunk.length * 1000) / bytesPerSecond);
    },
  });
}
