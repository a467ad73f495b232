/** Stages an image whose second layer does not fit; run in a process whose file size is limited, or whose disk is small. */
import { isLeft } from '../../src/contract/fp.js';
import { gzipLayer, image, tarLayer } from './oci-image.js';
import { ociRelease, stageRelease, withOciStore } from './oci-store.js';
import { executable, manifestFile } from './package-store.js';
import { withServer } from './packages.js';
import { file } from './tar.js';

/** Unpacked on the loop or on a thread of its own. The refusal's code and words, and what was left behind. */
export async function stageOf(where: string): Promise<string> {
  const layer =
    where === 'thread'
      ? tarLayer(file('big', Buffer.alloc(6_000_000)))
      : gzipLayer(file('big', Buffer.alloc(3_000_000)));
  const big = image([tarLayer(executable(), manifestFile()), layer]);
  return withServer(
    (request, response) => {
      const path = (request.url ?? '').replace('/v2/acme/sample/', '');
      const found = [big.manifest, ...big.blobs].find(({ digest }) => path.endsWith(digest));
      response.writeHead(found ? 200 : 404, { 'content-type': found?.mediaType ?? '' }).end(found?.bytes);
    },
    (origin) =>
      withOciStore({}, async ({ store, names }) => {
        const wanted = ociRelease(`oci://${origin.replace('http://', '')}/acme/sample`, big.manifest.digest);
        const staged = await stageRelease(store, wanted);
        return isLeft(staged)
          ? `${staged.left.refusal} ${staged.left.message} ${JSON.stringify(names())}`
          : 'it was installed';
      }),
  );
}
