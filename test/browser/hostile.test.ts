/** Text from an add-on, a client or a model: shown for what it is, never drawn as part of the page. */
import { hostileProposal } from '../../ui/dev/mock-data.js';
import { browserSuite } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('hostile text');

const HIDDEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

test('reordering, invisible, piled-up and markup-like text is shown as codes and plain characters, and long text is cut with its length', async () => {
  const mock = await studio.mock((state) => {
    state.proposals = [hostileProposal()];
  });
  const { page, problems } = await studio.page(mock, '/app/approvals');
  const card = page.locator('[data-proposal]');
  await card.waitFor();
  await card.locator('.technical summary').click();
  await card.locator('.arguments').waitFor();
  const text = (await card.textContent()) ?? '';
  assert.not.match(text, HIDDEN, 'nothing that reorders or hides stays in the text');
  for (const code of ['U+202E', 'U+200B', 'U+2066', 'U+0301 ×37', 'U+00AD', 'U+2067', 'U+2069']) {
    assert.ok(text.includes(code), `${code} is shown`);
  }
  assert.ok(text.includes('<img src=x onerror=alert(1)>'), 'markup is text');
  assert.is(await card.locator('img, h1').count(), 0);
  assert.ok(text.includes('300 of 10,000 characters shown'));
  assert.ok((await card.locator('bdi').count()) > 10, 'foreign text is isolated for direction');
  assert.equal(problems, []);
});

test('the names of an add-on cannot leave their place in a card', async () => {
  const mock = await studio.mock((state) => {
    state.apps = state.apps.map((app) =>
      app.id === 'tables'
        ? { ...app, title: `Tables\u202e ${'long '.repeat(400)}`, description: '\u2067x'.repeat(3_000) }
        : app,
    );
  });
  const { page } = await studio.page(mock, '/app/addons', { viewport: { width: 360, height: 740 } });
  const card = page.locator('[data-addon=tables]');
  await card.waitFor();
  assert.not.match((await card.textContent()) ?? '', HIDDEN);
  assert.ok(((await card.boundingBox())?.height ?? 9_999) < 420, 'the card keeps its size');
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360);
});

test.run();
