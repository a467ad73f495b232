/** Outcomes that are not known, and what was decided before. */
import { createProposal, importProposal, unknownProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('unsettled and history');
const waitingProposals = () => [createProposal(), importProposal()];

test('an unknown outcome can be looked up, and resolved with a reason and the digest', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [unknownProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  await page.getByRole('button', { name: 'Look for its receipt' }).click();
  await page.getByText('Still not known').first().waitFor();
  assert.equal(mock.calls.find(({ path }) => path.endsWith('/reconcile'))?.body, {});
  await page.getByRole('button', { name: 'Stop waiting…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop waiting for this answer?' });
  await dialog.getByRole('button', { name: 'Stop waiting' }).click();
  await dialog.getByText('Write a reason').waitFor();
  await dialog.getByLabel('Reason').fill('I looked at the rows; they are gone.');
  await dialog.getByRole('button', { name: 'Stop waiting' }).click();
  await page.locator('.outcome').getByText('Nobody waits for its answer any more.').waitFor();
  const sent = mock.calls.find(({ path }) => path.endsWith('/resolve'));
  assert.equal(sent?.body, { digest: unknownProposal().digest, reason: 'I looked at the rows; they are gone.' });
  assert.is(sent?.headers['x-localai-confirm'], unknownProposal().id);
});

test('what is unsettled stands before what waits, is counted in the navigation, and says so to everyone', async () => {
  const unknown = unknownProposal();
  const mock = await studio.mock((state) => {
    const applying = { ...unknownProposal(), id: 'applying', state: 'executing' as const };
    const given = { ...unknownProposal(), id: 'given-up', state: 'abandoned-unknown' as const };
    state.proposals = [...waitingProposals(), unknown, applying, given];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  const cards = page.locator('main [data-proposal]');
  await until(async () => (await cards.count()) === waitingProposals().length + 3, 'all cards are there');
  const order = await cards.evaluateAll((all) => all.map((card) => card.getAttribute('data-proposal') ?? ''));
  const waiting = waitingProposals().map(({ id }) => id);
  assert.equal(order.slice(0, 2).sort(), ['applying', unknown.id].sort());
  assert.equal(order.slice(2, -1).sort(), [...waiting].sort());
  assert.is(order.at(-1), 'given-up', 'nobody waits for it, so it needs nobody first');
  const badge = page.getByTestId('waiting');
  assert.is(await badge.locator('span[aria-hidden]').textContent(), String(waiting.length + 2));
  const name = `Approvals ${waiting.length} proposals waiting, 2 changes unsettled`;
  await page.getByRole('link', { name, exact: true }).waitFor();
});

test('an unsettled change alone is counted and named, and an answer that comes later is told where the card stands', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [unknownProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  await page.getByRole('link', { name: 'Approvals 1 change unsettled', exact: true }).waitFor();
  await page.getByText('Nothing else waits for you').waitFor();
  mock.state.proposals = [{ ...unknownProposal(), state: 'applied' }];
  mock.emit('proposals');
  await page.locator('.unsettled').getByText('The change was made, once.').waitFor();
  await page.getByRole('link', { name: 'Approvals', exact: true }).first().waitFor();
  await page.locator('.unsettled').getByRole('button', { name: 'Hide' }).click();
  await page.getByText('Nothing waits for you', { exact: true }).waitFor();
});

test('how a change came is said in plain words', async () => {
  const ways = [
    ['key', 'nightly', 'a program with the access key named “nightly”'],
    ['key', undefined, 'a program with an access key'],
    ['mcp', 'Desk', 'a connected AI program that calls itself “Desk”'],
    ['mcp', undefined, 'a connected AI program'],
  ] as const;
  const sample = importProposal();
  const mock = await studio.mock((state) => {
    state.proposals = ways.map(([kind, name], at) => ({
      ...sample,
      id: `way-${at}`,
      via: name === undefined ? { kind } : { kind, name },
    }));
  });
  const { page } = await studio.page(mock, '/app/approvals');
  for (const [at, [, , words]] of ways.entries()) {
    const asker = page.locator(`[data-proposal=way-${at}] .asker`);
    await until(async () => ((await asker.textContent()) ?? '').includes(`through ${words},`), words);
  }
  assert.not.match((await page.locator('main').textContent()) ?? '', /API|MCP/);
});

test('the history is filtered by how a proposal ended', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/approvals?show=history');
  const rows = page.locator('.history > li');
  await until(async () => (await rows.count()) === 4, 'all four are listed');
  await page.getByLabel('Rejected').check();
  await until(async () => (await rows.count()) === 1, 'one was rejected');
  await rows.locator('summary').first().click();
  await rows.getByText('The table changed after this was prepared').waitFor();
});

test.run();
test.run();
