import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { browserSuite } from '../support/browser.js';
import { freshCheckout, Terminal } from '../support/checkout.js';
import { assert } from '../support/harness.js';
import { ROOT } from '../support/server.js';

const { test, studio } = browserSuite('the README in a fresh checkout');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
let server: Terminal;
let client: Terminal;
let address = '';

/** The README names port 8080; the test takes a free one, so that it disturbs nothing. */
const command = (start: string): string => {
  const found = blocks.filter((block) => block.startsWith(start));
  assert.is(found.length, 1, `the README has one command that starts with ${start}`);
  return (found[0] ?? '').replaceAll('http://127.0.0.1:8080', address);
};

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

test.before(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const directory = freshCheckout();
  server = new Terminal(directory, { CASTELLAN_ADDRESS: `127.0.0.1:${port}` });
  client = new Terminal(directory);
});
test.after(() => {
  server.end();
  client.end();
});

test('npm ci && npm start in a copy without anything built gives a running server', async () => {
  server.type(command('npm ci && npm start'));
  await server.until(/"msg":"ready"/, 140_000);
});

test('the tour: turn on Tables, make a database, propose, be refused as a program, decide, read, look', async () => {
  const page = await studio.open(`${address}/app/addons?tab=browse`);
  await page.getByRole('button', { name: 'Install and turn on' }).click();
  await page.getByText('Installed', { exact: true }).waitFor();
  await page.goto(`${address}/app/addons?detail=tables`);
  await page.getByText('On', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'New database' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Travel');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: /Travel/ }).waitFor();

  assert.match(await client.run(command('API=')), /import-airports is pending: 3376 changes/);
  assert.match(await client.run(command('curl -s -X POST')), /"addon_error"/);

  await page
    .getByRole('link', { name: /Approvals/ })
    .first()
    .click();
  const confirm = page.getByRole('button', { name: 'Confirm' });
  await confirm.waitFor();
  await page.locator('.btn-confirm[data-guard=ready]').waitFor();
  await confirm.click();
  await page
    .getByText(/Applied/)
    .first()
    .waitFor();
  await page.close();

  assert.match(
    await client.run(command('curl -s -H \'Content-Type: application/json\' "$API/dispatch"')),
    /\["AK",263\]/,
  );
  const journal = await client.run(command('node dist/cli/main.js journal tail'));
  assert.match(journal, /ProposalStored[\s\S]*ProposalConfirmed[\s\S]*ProposalApplied/);
  assert.match(journal, /verified \d+ events, head [0-9a-f]{64}/);
});

test('the second command of the README is what CI runs, and nothing in it is left untried', () => {
  const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
  assert.ok(blocks.includes('npm ci && npm test\n'));
  for (const line of ['npm ci', 'npm test']) assert.ok(ci.includes(line), line);
  assert.is(blocks.length, 6);
});
test.run();
