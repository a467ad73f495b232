/** Confirm stays out of reach for 700 ms after its card appears, moves, changes or the window regains focus. */
import type { Page } from 'playwright-core';
import type { Mock } from '../../ui/dev/mock.js';
import { importProposal, updateProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('confirm guard');

const confirms = (mock: Mock) => mock.calls.filter(({ path }) => path.endsWith('/confirm')).length;
const button = (page: Page, id: string) => page.locator(`[data-proposal="${id}"] .btn-confirm`);
const isReady = async (page: Page, id: string) => (await button(page, id).getAttribute('data-guard')) === 'ready';

type Armed = Awaited<ReturnType<typeof armed>>;

/** The page with its own timers under the test's control, one card on it, and the guard run down. */
async function armed() {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  const id = importProposal().id;
  await button(page, id).waitFor();
  await settle(page, id, advance);
  return { mock, page, id, advance };
}

/** Lets the guard run down; late layout (fonts, lists) may move the card once more meanwhile. */
const settle = (page: Page, id: string, advance: (ms: number) => Promise<void>) =>
  until(async () => {
    await advance(200);
    return isReady(page, id);
  }, 'the guard runs down');

async function refusedThenReady({ page, mock, id, advance }: Armed, why: string): Promise<void> {
  const click = () => page.evaluate(`document.querySelector('[data-proposal="${id}"] .btn-confirm').click()`);
  await click();
  await until(async () => (await button(page, id).getAttribute('aria-disabled')) === 'true', why);
  await advance(600);
  await click();
  await caughtUp(page);
  assert.is(confirms(mock), 0, `${why}: nothing is confirmed within 700 ms`);
  await settle(page, id, advance);
  await click();
  await until(() => confirms(mock) === 1, `${why}: a later click confirms`);
}

test('a card that has just appeared is not confirmed by a click within 700 ms', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true });
  await button(page, importProposal().id).waitFor();
  await refusedThenReady({ mock, page, id: importProposal().id, advance }, 'just appeared');
});

test('a card that moves, for whatever reason, is guarded anew', async () => {
  const now = await armed();
  await now.page.evaluate(
    'document.querySelector("main").insertAdjacentHTML("afterbegin", "<p>Something above grows</p>")',
  );
  await refusedThenReady(now, 'moved');
});

test('buttons that scroll into view are guarded like a card that appears, since other buttons stood there before', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal(), updateProposal()];
  });
  const size = { viewport: { width: 1000, height: 460 } };
  const { page, advance } = await studio.page(mock, '/app/approvals', { fakeClock: true, ...size });
  await page.locator('.btn-confirm').nth(1).waitFor();
  const id = (await page.locator('[data-proposal]').nth(1).getAttribute('data-proposal')) ?? '';
  await settle(page, id, advance);
  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
  await refusedThenReady({ mock, page, id, advance }, 'scrolled into view');
});

test('the buttons of a tall card are in the window from the start, and never over what the card is about', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const { page } = await studio.page(mock, '/app/approvals', { viewport: { width: 390, height: 640 } });
  const box = await page.locator('.btn-confirm').boundingBox();
  const about = await page.locator('.approval .asker').boundingBox();
  assert.ok(box !== null && box.y + box.height <= 640, `Confirm ends at ${box?.y}`);
  assert.ok(about !== null && box.y >= about.y + about.height, 'Confirm stands below who asks');
});

test('a window that regains focus guards its cards anew', async () => {
  const now = await armed();
  await now.page.evaluate('window.dispatchEvent(new Event("focus"))');
  await refusedThenReady(now, 'focus came back');
});

test('a card whose content changes is guarded anew', async () => {
  const now = await armed();
  const card = now.page.locator('[data-proposal]');
  now.mock.state.proposals = [
    { ...importProposal(), digest: updateProposal().digest, effects: { count: 3377, sample: [] } },
  ];
  now.mock.emit('proposals');
  await card.getByText('3,377 changes').waitFor();
  await refusedThenReady(now, 'changed');
});

test('a new proposal goes below the others and does not take the place of one', async () => {
  const { mock, page, id } = await armed();
  mock.state.proposals = [...mock.state.proposals, updateProposal()];
  mock.emit('proposals');
  await until(async () => (await page.locator('[data-proposal]').count()) === 2, 'both are shown');
  const order = await page
    .locator('[data-proposal]')
    .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-proposal')));
  assert.equal(order, [id, updateProposal().id]);
  assert.ok(await isReady(page, id), 'the card above did not move, so it stays ready');
});

test('a held-down Enter key does not confirm when the guard runs down', async () => {
  const { mock, page, id, advance } = await armed();
  await page.evaluate('window.dispatchEvent(new Event("focus"))');
  await button(page, id).focus();
  await page.keyboard.down('Enter');
  await settle(page, id, advance);
  await page.keyboard.down('Enter');
  await caughtUp(page);
  assert.is(confirms(mock), 0, 'a repeat of the same press');
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  await until(() => confirms(mock) === 1, 'a fresh press confirms');
});

test.run();
