/**
 * Takes the README's picture of the page. usage: node scripts/picture.mjs [URL]
 * Without a URL the page is shown against the mock server (needs `npm run build` and `tsc -p tsconfig.test.json`).
 */
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = `${root}docs/pictures/approval.png`;
const LARGEST_BYTES = 300_000;

/** The mock with the two proposals that tell the story: an import of 3,376 rows, and a change with before and after. */
async function mockServer() {
  const { startMock } = await import(`${root}build/ui/dev/mock.js`);
  const { fullState } = await import(`${root}build/ui/dev/mock-state.js`);
  const { importProposal, updateProposal } = await import(`${root}build/ui/dev/mock-data.js`);
  const updated = { ...importProposal(), createdAt: updateProposal().createdAt, expiresAt: updateProposal().expiresAt };
  const second = { ...updateProposal(), createdAt: importProposal().createdAt, expiresAt: importProposal().expiresAt };
  return startMock({ dist: `${root}dist/ui`, state: { ...fullState(), proposals: [updated, second] } });
}

const given = process.argv[2];
const mock = given === undefined ? await mockServer() : undefined;
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 760 }, colorScheme: 'light' });
  await page.goto(`${given ?? mock.url}/app/approvals`);
  await page.locator('.btn-confirm[data-guard=ready]').first().waitFor();
  mkdirSync(`${root}docs/pictures`, { recursive: true });
  await page.screenshot({ path: out });
  const { size } = statSync(out);
  if (size > LARGEST_BYTES) throw new Error(`the picture has ${size} bytes, more than ${LARGEST_BYTES}`);
  console.log(`${out}: ${size} bytes`);
} finally {
  await browser.close();
  await mock?.close();
}
