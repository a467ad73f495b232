/** Stages an image whose second layer does not fit; run in a process whose file size is limited. */
import { isLeft } from '../../src/contract/fp.js';
import { gzipLayer, image, tarLayer } from './oci-image.js';
import { ociRelease, stageRelease, withOciStore } from './oci-store.js';
import { executable, manifestFile } from './package-store.js';
import { withServer } from './packages.js';
import { file } from './tar.js';

/** The refusal's code and words, and what was left behind. */
export async function stageOf(): Promise<string> {
  const big = image([tarLayer(executable(), manifestFile()), gzipLayer(file('big', Buffer.alloc(3_000_000)))]);
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
