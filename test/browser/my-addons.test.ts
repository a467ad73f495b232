/** My add-ons: the cards, their details, who sees which tab, and how the list stays fresh (12, "My add-ons"). */
import { browserSuite, caughtUp, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('my add-ons');

test('cards stand by identifier with state, description, page, tools and Open, and the search narrows them [MANAGEPAGE-009] [MANAGEPAGE-010] [MANAGEPAGE-011] [MANAGEPAGE-018] [MANAGEPAGE-031]', async () => {
  const mock = await studio.mock((state) => {
    state.apps = state.apps.map((app) =>
      app.id === 'weather' ? { ...app, state: 'running', mainPage: '/app/addons/weather/station' } : app,
    );
  });
  const { page, problems } = await studio.page(mock, '/app/addons');
  const cards = page.locator('.card');
  await cards.first().waitFor();
  const ids = await cards.evaluateAll((all) => all.map((card) => card.getAttribute('data-addon')));
  assert.equal(ids, ['mail-archive', 'notes', 'tables', 'weather']);
  const words = async (id: string) => (await page.locator(`[data-addon=${id}]`).textContent()) ?? '';
  assert.match(await words('tables'), /TablesOn.*Databases of tables.*14 chat tools/);
  assert.match(await words('notes'), /NotesOff/);
  assert.match(await words('mail-archive'), /Mail archiveFailed/);
  assert.match(await words('weather'), /Adds a page2 chat tools/);
  assert.is(await page.getByRole('link', { name: 'Open' }).getAttribute('href'), '/app/addons/weather/station');
  await page.getByLabel('Search my add-ons').fill('TABL');
  await until(async () => (await cards.count()) === 1, 'only Tables matches');
  await page.getByLabel('Search my add-ons').fill('no such thing');
  await page.getByText('No add-on matches').waitFor();
  assert.equal(problems, []);
});

test('a card opens the details beside the list and never the main page; the management address opens More details [MANAGEPAGE-007] [MANAGEPAGE-008] [MANAGEPAGE-013] [MANAGEPAGE-014]', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons?tab=installed');
  await page.locator('[data-addon=tables]').click({ position: { x: 60, y: 100 } });
  const pane = page.getByRole('complementary', { name: 'Tables' });
  await pane.waitFor();
  assert.ok(page.url().endsWith('/app/addons?detail=tables'));
  assert.is(await page.evaluate('document.activeElement.id'), 'pane-title', 'the focus goes to the details');
  for (const words of ['Turn off', 'Remove…', '14 chat tools', 'Version1.2.0', 'Sourcefirst-party', 'Airports']) {
    await until(async () => ((await pane.textContent()) ?? '').includes(words), `the details say ${words}`);
  }
  await page.keyboard.press('Escape');
  await until(
    async () => (await page.evaluate('document.activeElement.id')) === 'card-tables',
    'the focus goes back to the card',
  );
  await page.goto(`${mock.url}/app/addons?manage=mail-archive`);
  await page.getByText('5 restarts by the supervisor').waitFor();
  await page.getByText('its data folder holds format 2', { exact: false }).waitFor();
});

test('a person who is no administrator gets neither the tabs nor the buttons of one [MANAGEPAGE-002] [MANAGEPAGE-025]', async () => {
  const mock = await studio.mock((state) => {
    state.administrator = false;
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  await page.getByRole('complementary').waitFor();
  await until(() => mock.calls.some(({ path }) => path === '/api/library/sources'), 'the page asked');
  await caughtUp(page);
  assert.equal(await page.locator('.tab').allTextContents(), ['My add-ons']);
  assert.is(await page.getByRole('button', { name: /Turn o|Remove/ }).count(), 0);
});

test('without the add-ons feature the list is not even asked for [MANAGEPAGE-016]', async () => {
  const mock = await studio.mock((state) => {
    state.addonsFeature = false;
  });
  const { page } = await studio.page(mock, '/app/addons');
  await page.getByText('Your account does not have the add-ons feature.', { exact: false }).waitFor();
  assert.is(mock.calls.filter(({ path }) => path === '/api/addons/apps').length, 0);
});

test('the list is read every 5 s; a failed read keeps it on screen, says it may be out of date and waits longer [MANAGEPAGE-023] [MANAGEPAGE-024]', async () => {
  const mock = await studio.mock();
  const { page, advance } = await studio.page(mock, '/app/addons', { fakeClock: true });
  await page.locator('.card').first().waitFor();
  const reads = () => mock.calls.filter(({ path }) => path === '/api/addons/apps').length;
  const fresh = async (why: string, before: number) => until(() => reads() > before, why);
  await page.getByText('Live', { exact: true }).waitFor();
  await caughtUp(page);
  let before = reads();
  await advance(4_000);
  assert.is(reads(), before, 'not before 5 s');
  mock.state.faults.set('GET /api/addons/apps', {
    status: 503,
    error: { type: 'addon_error', code: 'unavailable', message: 'Gone.' },
    times: 1,
  });
  await advance(1_500);
  await fresh('read after 5 s', before);
  await page.getByText('This list may be out of date').waitFor();
  assert.is(await page.locator('.card').count(), 4, 'the last list stays');
  before = reads();
  await advance(9_000);
  assert.is(reads(), before, 'the wait has doubled');
  await advance(1_500);
  await fresh('read after 10 s', before);
  await page.getByText('This list may be out of date').waitFor({ state: 'detached' });
});

test('what an add-on holds is asked for again as soon as the add-on changed, since it could not be told while it started', async () => {
  const mock = await studio.mock((state) => {
    state.faults.set('GET /api/addons/resources', {
      status: 503,
      error: { type: 'addon_error', code: 'unavailable', message: 'It is starting.' },
      times: 99,
    });
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables', { fakeClock: true });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('It is asked again by itself', { exact: false }).waitFor();
  // The page's clock stands, so that nothing but a change makes it ask; what the stream's opening asked has ended.
  await caughtUp(page);
  mock.state.faults.clear();
  mock.emit('apps');
  await page.getByRole('link', { name: /Airports/ }).waitFor();
});

test('icons come from the host and nothing else is loaded as an image [MANAGEPAGE-022]', async () => {
  const mock = await studio.mock((state) => {
    state.apps = state.apps.map((app) =>
      app.id === 'notes' ? { ...app, icon: 'https://elsewhere.example/i.png' } : app,
    );
  });
  const { page } = await studio.page(mock, '/app/addons');
  await page.locator('.card img').first().waitFor();
  const images = await page.locator('img').evaluateAll((all) => all.map((image) => image.getAttribute('src')));
  assert.equal(images, ['/api/addons/apps/tables/icon?generation=3']);
});

async function turnedOn(width: number): Promise<void> {
  const mock = await studio.mock((state) => {
    state.apps = state.apps.map((app) => (app.id === 'tables' ? { ...app, enabled: false, state: 'stopped' } : app));
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables', { viewport: { width, height: 800 } });
  const holds = page.getByRole('region', { name: 'What it holds' });
  await holds.getByText('Tables is off. All of this is kept.').waitFor();
  const held = mock.state.resources.filter(({ addonId }) => addonId === 'tables').length;
  const rows = holds.locator('.resources > li');
  await until(async () => (await rows.count()) === held, 'each thing is listed');
  assert.match((await rows.first().textContent()) ?? '', /Database db-airpor.*yours/);
  assert.is(await holds.getByRole('link').count(), 0, 'nothing leads to what cannot be read');
  const place = async () => JSON.stringify(await rows.last().boundingBox());
  const before = await place();
  assert.is(await holds.getByRole('button').count(), 0, 'nothing can be made in it');
  await page.getByRole('complementary').getByRole('button', { name: 'Turn on', exact: true }).click();
  await holds.getByRole('link', { name: /Airports/ }).waitFor();
  await holds.getByRole('button', { name: 'New database' }).waitFor();
  // The line that says what is being done goes away by itself, above.
  await until(async () => (await place()) === before, 'the list stands where it stood');
}

test('Escape closes a dialog of the details and not the details, and the focus is where it was', async () => {
  const { page } = await studio.page(await studio.mock(), '/app/addons?detail=tables');
  const make = page.getByRole('button', { name: 'New database' });
  await make.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Trips');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.match(page.url(), /detail=tables/);
  assert.match((await page.locator(':focus').textContent()) ?? '', /New database/);
  assert.match(await page.title(), /Add-ons · Castellan$/);
  await page.keyboard.press('Escape');
  await until(() => !page.url().includes('detail='), 'the details close by themselves');
  await page.getByRole('link', { name: 'Find add-ons' }).first().click();
  await until(async () => /Find add-ons · Castellan$/.test(await page.title()), 'the title names the section');
});

test('an add-on that is off says so and what it holds, and nothing moves when it is turned on', () => turnedOn(1280));
test('on a phone nothing moves either when an add-on is turned on', () => turnedOn(390));

test('an add-on that is off and holds nothing says that, and its resource page offers to turn it on', async () => {
  const mock = await studio.mock((state) => {
    state.apps = state.apps.map((app) =>
      app.id === 'notes' ? { ...app, tools: [...app.tools, 'resource-exists'] } : app,
    );
  });
  const { page } = await studio.page(mock, '/app/addons?detail=notes');
  await page.getByText('Notes is off. It holds nothing of yours yet.').waitFor();
  await page.goto(`${mock.url}/app/addons?detail=notes&resource=n-1`);
  await page.getByText('Notes is turned off, so nothing of this can be read.').waitFor();
  assert.not.ok(mock.calls.some(({ body }) => (body as { action?: string } | undefined)?.action === 'read'));
  await page.getByRole('button', { name: 'Turn on Notes' }).click();
  await page.getByText('Notes is turned off').waitFor({ state: 'detached' });
  await page.goto(`${mock.url}/app/addons?detail=notes`);
  await page.getByRole('button', { name: 'New item', exact: true }).waitFor();
});

test('removing an add-on takes its details out of the address, and going back does not bring them', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons');
  await page.locator('#card-notes').click();
  const pane = page.getByRole('complementary', { name: 'Notes' });
  await pane.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await pane.waitFor({ state: 'detached' });
  await until(() => page.url() === `${mock.url}/app/addons`, 'the address is that of the list');
  await page.goBack();
  assert.is(page.url(), `${mock.url}/app/addons`);
});

test('the details show the first eight things that are held, all on request, before what only administrators look up', async () => {
  const mock = await studio.mock((state) => {
    const [first] = state.resources;
    if (first === undefined) throw new Error('no sample');
    state.resources = Array.from({ length: 30 }, (_, at) => ({ ...first, resourceId: `r-${at}`, name: `Base ${at}` }));
  });
  const { page } = await studio.page(mock, '/app/addons?detail=tables');
  const holds = page.getByRole('region', { name: 'What it holds' });
  const rows = holds.locator('.resources > li');
  await until(async () => (await rows.count()) === 8, 'the first eight');
  const top = async (place: ReturnType<typeof holds.locator>) => (await place.boundingBox())?.y ?? 0;
  assert.ok((await top(holds)) < (await top(page.getByText('More details', { exact: true }))));
  await holds.getByRole('button', { name: 'Show all 30' }).click();
  await until(async () => (await rows.count()) === 30, 'all of them');
});

test('a resource shows all its tables, also those that the first answer had no room for', async () => {
  const mock = await studio.mock();
  const { page, problems } = await studio.page(mock, '/app/addons?detail=tables&resource=db-airports');
  await page.getByText('2 tables · version 2.41').waitFor();
  await page.getByRole('radio', { name: 'runways' }).check();
  await page.getByText('0 rows', { exact: false }).first().waitFor();
  assert.equal(problems, []);
});

test.run();
