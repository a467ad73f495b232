/** Live changes: the badge follows without a reload, over one stream for all tabs of a browser, and by polling without it. */
import { importProposal, updateProposal } from '../../ui/dev/mock-data.js';
import { browserSuite, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('live changes');

test('the number of waiting proposals follows the event stream in every tab, and the browser opens one stream', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [importProposal()];
  });
  const first = await studio.page(mock, '/app/addons');
  const second = await first.tab('/app/approvals');
  const badge = (tab: typeof first) => tab.page.getByTestId('waiting').locator('span[aria-hidden]').textContent();
  await until(async () => (await badge(first)) === '1', 'one waits');
  await until(() => mock.streams() === 1, 'the stream is open');
  for (const tab of [first, second]) await tab.page.getByText('Live', { exact: true }).waitFor();
  mock.state.proposals = [...mock.state.proposals, updateProposal()];
  mock.emit('proposals');
  await until(async () => (await badge(first)) === '2', 'the first tab knows', 4_500);
  await until(async () => (await badge(second)) === '2', 'the second tab knows');
  await second.page.locator(`[data-proposal="${updateProposal().id}"]`).waitFor();
  assert.is(mock.streams(), 1);
  assert.match(await second.page.title(), /^\(2\) Approvals/);
  await first.page.close();
  await until(() => mock.streams() === 1, 'the other tab takes the stream over');
});

test('nothing waiting shows no badge and says so in the view', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [];
  });
  const { page } = await studio.page(mock, '/app/approvals');
  await page.getByText('Nothing waits for you').waitFor();
  assert.is(await page.getByTestId('waiting').count(), 0);
});

test.run();
