/** The page while a package comes from a registry: the bytes of all layers, and how many there will be. */
import { browserSuite } from '../support/browser.js';
import { castellan } from '../support/castellan.js';
import { assert } from '../support/harness.js';
import { ociLibrary } from '../support/oci-library.js';
import { dataPath, startServer } from '../support/server.js';

const { test, studio } = browserSuite('a download from a registry, on the page');

test('shows the bytes that came and their sum while the package is downloaded', async () => {
  const library = await ociLibrary(6 * 1_048_576, 1_048_576);
  const data = dataPath();
  const added = await castellan(
    data.path,
    'library',
    'add',
    '--id',
    'acme',
    '--url',
    library.url,
    '--allow-loopback-http',
  );
  assert.is(added.code, 0, added.err);
  const server = await startServer(data.path, [
    '--addons-official-library=false',
    '--credentials',
    library.credentials,
  ]);
  try {
    const page = await studio.open(`${server.address}/app/addons`);
    await page.getByRole('button', { name: 'Install and turn on' }).click();
    await page.getByText(/^Downloading/).waitFor();
    await page.getByText(/^[0-9.]+ (?:MB|MiB) of 6(?:\.[0-9])? (?:MB|MiB)$/).waitFor();
    const bar = page.getByRole('progressbar', { name: 'Downloading' });
    assert.is(Number(await bar.getAttribute('max')), library.bytes);
    const first = Number(await bar.getAttribute('value'));
    assert.ok(first > 0 && first <= library.bytes);
    await page.getByText('On', { exact: true }).first().waitFor();
  } finally {
    await server.stop();
    data.remove();
    await library.close();
  }
});

test.run();
