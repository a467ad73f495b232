/**
 * Takes the README's picture of the page: starts the server on a data path of its own, goes the README's tour up to the
 * decision, and photographs the card that waits. usage: node scripts/picture.mjs      (needs `npm run build`)
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = `${root}docs/pictures/approvals.png`;
const LARGEST_BYTES = 300_000;
const READY_MS = 30_000;

/** The server on a free port; resolves with its address when it says that it is ready. */
function startServer(dataPath) {
  const line = ['dist/cli/main.js', 'run', '--data-path', dataPath, '--address', '127.0.0.1:0'];
  const child = spawn(process.execPath, line, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const ready = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server was not ready in time:\n${said}`)), READY_MS);
    const hear = (chunk) => {
      said += chunk;
      const address = /"address":"([^"]+)".*"msg":"ready"/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void ended.then((code) => reject(new Error(`the server ended with ${code}:\n${said}`)));
  });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { ready, stop };
}

/** What a person does in the browser before a program can propose anything. */
async function makeTravel(page, address) {
  await page.goto(`${address}/app/addons?tab=browse`);
  await page.getByRole('button', { name: 'Install and turn on' }).click();
  await page.getByText('Installed', { exact: true }).waitFor();
  await page.goto(`${address}/app/addons?detail=tables`);
  await page.getByText('On', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'New' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Travel');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: /Travel/ }).waitFor();
}

/** The README's own client, with `curl`. */
async function propose(address) {
  const api = `${address}/api/addons`;
  const { resources } = await (await fetch(`${api}/resources?addonId=tables`)).json();
  const body = execFileSync(process.execPath, ['docs/tour/propose-import.mjs', resources[0].resourceId], { cwd: root });
  const args = ['-sS', '--fail-with-body', '-H', 'Content-Type: application/json', '-d', '@-', `${api}/proposals`];
  execFileSync('curl', args, { input: body, maxBuffer: 8_388_608 });
}

const dataPath = mkdtempSync(join(tmpdir(), 'castellan-picture-'));
const server = startServer(dataPath);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
try {
  const address = await server.ready;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  page.setDefaultTimeout(60_000);
  await makeTravel(page, address);
  await propose(address);
  await page.goto(`${address}/app/approvals`);
  await page.locator('.btn-confirm[data-guard=ready]').waitFor();
  mkdirSync(`${root}docs/pictures`, { recursive: true });
  await page.screenshot({ path: out });
  const { size } = statSync(out);
  if (size > LARGEST_BYTES) throw new Error(`the picture has ${size} bytes, more than ${LARGEST_BYTES}`);
  console.log(`${out}: ${size} bytes`);
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataPath, { recursive: true, force: true });
}
