/** Signed packages in the page: who must have signed is said before an install, who did after it, and a refused one blocks nothing. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { browserSuite } from '../support/browser.js';
import { assert } from '../support/harness.js';
import { ARGS } from '../support/killing-server.js';
import { askOwner } from '../support/main-job.js';
import { startRegistry } from '../support/registry.js';
import { startServer } from '../support/server.js';
import { SIGNED } from '../support/signed-image.js';
import { signedLibrary } from '../support/signed-library.js';
import { IDENTITY, ISSUER, signStatement, startSigstore, statement, trustedRootBytes } from '../support/sigstore.js';
import { tempDir } from '../support/temp-dir.js';

const { test, studio } = browserSuite('signed packages in the page');
const ends: (() => Promise<unknown>)[] = [];
test.after(async () => {
  for (const end of ends.reverse()) await end();
});

/** A server with the library, and its Find add-ons tab. */
async function place() {
  const [sigstore, registry] = await Promise.all([startSigstore(), startRegistry()]);
  ends.push(sigstore.close, registry.close);
  const sign = async ({ manifest }: { manifest: { digest: string } }) => [
    await signStatement(sigstore, statement(manifest.digest)),
  ];
  const library = await signedLibrary(registry, [
    { version: '1.0.0', sign },
    { version: '1.1.0' },
    { version: '1.2.0', sign },
  ]);
  ends.push(library.close);
  const root = join(tempDir('trust'), 'trusted_root.json');
  writeFileSync(root, trustedRootBytes(sigstore), { mode: 0o600 });
  const data = tempDir('signed');
  const server = await startServer(data, [...ARGS, '--sigstore-trusted-root', root]);
  ends.push(() => server.stop());
  const policy = { ...SIGNED, allowLoopbackHTTP: true };
  const source = { id: 'acme', url: library.url, kind: 'addon', name: 'Acme', format: 'library', policy };
  await askOwner(data, 'library.add', source);
  const page = await studio.open(`${server.address}/app/addons?tab=browse`, { viewport: { width: 1280, height: 800 } });
  return { data, server, page };
}

const card = (page: Page) => page.locator('[data-release=counter]');
async function install(page: Page, version: string): Promise<void> {
  await card(page).getByLabel('Version').selectOption({ label: version });
  await card(page).getByRole('button', { name: 'Install and turn on' }).click();
}

test('a bad version is refused with its reason, the good one installs from the same card, and the page says who signed', async () => {
  const { data, server, page } = await place();
  await card(page).waitFor();
  const words = async () => ((await card(page).textContent()) ?? '').replace(/\s+/g, ' ');
  await card(page).getByText('Installs only when signed by').waitFor();
  assert.ok((await words()).includes(IDENTITY));
  assert.ok((await words()).includes(ISSUER));
  await install(page, '1.1.0');
  await card(page).getByText('not signed as that source requires', { exact: false }).waitFor();
  assert.equal(readdirSync(join(data, 'addons', 'packages')), []);
  await page.reload();
  await install(page, '1.0.0');
  await card(page).getByRole('link', { name: 'Details' }).waitFor();
  await page.goto(`${server.address}/app/addons?detail=counter`);
  await page.getByText('More details').first().click();
  await page.getByText('Signed by').first().waitFor();
  const pane = ((await page.locator('dl.facts').last().textContent()) ?? '').replace(/\s+/g, ' ');
  assert.ok(pane.includes('its digest and its signature'), pane);
  assert.ok(pane.includes(IDENTITY), pane);
});

test.run();
