/** The page over the real server and the real Tables: what a person does on the first evening, by mouse and by keyboard. */
import type { Page } from 'playwright-core';
import { browserSuite, until } from '../support/browser.js';
import { assert } from '../support/harness.js';
import { clientOf, dataPath, type RunningServer, startServer } from '../support/server.js';

const { test, studio } = browserSuite('the page over the real server');

interface Place {
  readonly server: RunningServer;
  readonly page: Page;
  /** Answers that the page's calls got and should not have got. */
  readonly refused: readonly string[];
}
const ends: (() => Promise<void> | void)[] = [];
test.after(async () => {
  for (const end of ends.reverse()) await end();
});

async function place(args: readonly string[] = [], path = '/app/addons'): Promise<Place> {
  const data = dataPath();
  ends.push(data.remove);
  const server = await startServer(data.path, args);
  ends.push(async () => void (await server.stop()));
  const page = await studio.open('about:blank', { viewport: { width: 1280, height: 800 } });
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  await page.goto(server.address + path);
  return { server, page, refused };
}

async function turnOnTables({ server, page }: Place): Promise<void> {
  await page.getByRole('button', { name: 'Install and turn on' }).click();
  await page.goto(`${server.address}/app/addons?detail=tables`);
  await page.getByText('On', { exact: true }).first().waitFor();
}

/** Makes a database as the person does, answers its id. */
async function makeDatabase({ server, page }: Place, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New database' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: new RegExp(name) }).waitFor();
  return databaseId(server, name);
}

async function databaseId(server: RunningServer, name: string): Promise<string> {
  const { body } = await clientOf(server.address).get<{ resources: { resourceId: string; name: string }[] }>(
    '/api/addons/resources?addonId=tables',
  );
  return body.resources.find((entry) => entry.name === name)?.resourceId ?? '';
}

async function propose(server: RunningServer, resourceId: string, operationId: string, table: string) {
  const rows = Array.from({ length: 9 }, (_, at) => `Zug ${at},${at * 10}`);
  const { status } = await clientOf(server.address).post('/api/addons/proposals', {
    addonId: 'tables',
    resourceId,
    operationId,
    generation: 1,
    action: 'schema',
    arguments: { tool: 'create-table-from-csv', table, csv: `who,km\n${rows.join('\n')}\n` },
  });
  assert.is(status, 201);
}

/** Presses Tab until the focus is on an element that matches. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) === true) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab led to ${selector}`);
}

test('a fresh server suggests Tables, and one press installs it, turns it on and gives it its own icon and words', async () => {
  const there = await place();
  const { page, server } = there;
  await page.getByRole('heading', { name: 'No add-ons yet' }).waitFor();
  await page.getByRole('button', { name: 'Install and turn on' }).click();
  const card = page.locator('[data-addon=tables]');
  await card.getByText('On', { exact: true }).waitFor();
  assert.match((await card.textContent()) ?? '', /Tables.*Databases of tables.*14 chat tools/);
  assert.is(await card.getByText('Adds a page').count(), 0);
  assert.is(await card.getByRole('link', { name: 'Open' }).count(), 0);
  const icon = card.locator('img');
  const drawn = () => page.evaluate('document.querySelector("[data-addon=tables] img")?.naturalWidth ?? 0');
  await until(async () => (await drawn()) === 256, 'the icon is drawn');
  const src = (await icon.getAttribute('src')) ?? '';
  const answer = await fetch(server.address + src);
  assert.is(answer.headers.get('content-type'), 'image/png');
  assert.is(Buffer.from(await answer.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
  assert.equal(there.refused, []);
});

test('a proposal of a program appears as a card without a reload, is confirmed by keyboard alone, and Cancel withdraws', async () => {
  const there = await place();
  await turnOnTables(there);
  const id = await makeDatabase(there, 'Travel');
  const { page, server } = there;
  await page
    .getByRole('link', { name: /Approvals/ })
    .first()
    .click();
  await page.getByText('Nothing waits for you').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await propose(server, id, 'first', 'trips');
  const first = page.locator('[data-proposal=first]');
  await first.waitFor();
  const words = ((await first.textContent()) ?? '').replace(/\s+/g, ' ');
  for (const expected of ['Create table from CSV', '9 changes, says Tables', '5 of 9 shown.', 'who text', 'km integer'])
    assert.ok(words.includes(expected), `the card says ${expected}: ${words}`);
  assert.equal(await first.locator('th').allTextContents(), ['Change', 'who', 'km']);
  assert.is(await first.locator('tbody tr').count(), 5);
  await page.locator('[data-proposal=first] .btn-confirm[data-guard=ready]').waitFor();

  await page.locator('main h1').focus();
  await tabTo(page, '.btn-confirm');
  await page.locator('[data-proposal=first] .btn-confirm[data-guard=ready]').waitFor();
  await page.keyboard.press('Enter');
  await first.getByText('Applied', { exact: true }).waitFor();
  assert.is(await page.evaluate('document.activeElement.closest("[data-proposal]")?.dataset.proposal'), 'first');

  await propose(server, id, 'second', 'more');
  const second = page.locator('[data-proposal=second]');
  await second.getByRole('button', { name: /Cancel/ }).click();
  await second.getByText('It was withdrawn. Nothing was changed.').waitFor();
  const read = await clientOf(server.address).dispatch<{ payload: { tables: { name: string; rows: number }[] } }>({
    addonId: 'tables',
    resourceId: id,
    operationId: 'look',
    generation: 1,
    action: 'read',
    arguments: { tool: 'inspect' },
  });
  assert.equal(
    read.body.payload.tables.map(({ name, rows }) => [name, rows]),
    [['trips', 9]],
  );
  await page.getByRole('button', { name: 'Hide' }).first().focus();
  await page.keyboard.press('Enter');
  await first.waitFor({ state: 'detached' });
  assert.is(await page.evaluate('document.activeElement.closest("[data-proposal]")?.dataset.proposal'), 'second');
});

test('an add-on is turned off, on again and removed, and its data is there when it is installed anew', async () => {
  const there = await place();
  await turnOnTables(there);
  const { page } = there;
  await makeDatabase(there, 'Kept');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('Off', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  await page.getByText('On', { exact: true }).first().waitFor();
  await page.locator('.pane').getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'No add-ons yet' }).waitFor();
  await turnOnTables(there);
  await page.getByRole('link', { name: /Kept/ }).waitFor();
});

test('with --local-confirm-code nothing is confirmed before the code of the terminal is typed, and then all is', async () => {
  const there = await place(['--local-confirm-code']);
  await turnOnTables(there);
  const { page, server } = there;
  await page.getByRole('button', { name: 'New database' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Guarded');
  await page.keyboard.press('Enter');
  const code = page.getByRole('dialog').getByLabel('Code from the terminal');
  await code.fill('wrong-wrong');
  await page.keyboard.press('Enter');
  await page.getByText('That is not the code. Look again; nothing was confirmed.').waitFor();
  assert.is(await databaseId(server, 'Guarded'), '');
  const shown = /enter the code {2}(\S+)/.exec(server.output())?.[1] ?? '';
  await code.fill(shown);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /Guarded/ }).waitFor();

  await propose(server, await databaseId(server, 'Guarded'), 'behind-code', 'trips');
  await page.goto(`${server.address}/app/approvals`);
  await page.locator('.btn-confirm[data-guard=ready]').click();
  await page.locator('[data-proposal=behind-code]').getByText('Applied', { exact: true }).waitFor();
});

test.run();
