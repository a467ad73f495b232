/** Draws an add-on's icon from its SVG. usage: node scripts/icon.mjs [SVG PNG], by default addons/tables/icon.svg and the icon of its page. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';

const SIDE = 256;
const LARGEST_BYTES = 262_144;
const beside = (path) => new URL(`../addons/tables/${path}`, import.meta.url).pathname;
const from = resolve(process.argv[2] ?? beside('icon.svg'));
const to = resolve(process.argv[3] ?? beside('ui/icon.png'));

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: SIDE, height: SIDE } });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${readFileSync(from, 'utf8')}`);
  await page.screenshot({ path: to, omitBackground: true });
} finally {
  await browser.close();
}
const { size } = statSync(to);
if (size > LARGEST_BYTES) throw new Error(`the icon has ${size} bytes, more than ${LARGEST_BYTES}`);
console.log(`${to}: ${size} bytes`);
