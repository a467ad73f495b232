/** The Sources tab: every kind, every state, and what an administrator does there (04:141-176). */
import type { Page } from 'playwright-core';
import type { SourceView } from '../../src/contract/api.js';
import { browserSuite, until } from '../support/browser.js';
import { assert } from '../support/harness.js';

const { test, studio } = browserSuite('sources');
const TAB = '/app/addons?tab=libraries';
const row = (page: Page, id: string) => page.locator(`[data-source="${id}"]`);
const open = async () => {
  const mock = await studio.mock();
  const { page, problems } = await studio.page(mock, TAB);
  await row(page, 'workshop').waitFor();
  const sent = (method: string) =>
    mock.calls.filter((call) => call.method === method && call.path.startsWith('/api/library/'));
  const state = (id: string) => mock.state.sources.find((source) => source.id === id) as SourceView;
  return { mock, page, problems, sent, state };
};

test('the tab lists the sources of all kinds, and the filter shows one kind only [SOURCES-010]', async () => {
  const { page, problems } = await open();
  const ids = async () =>
    page.locator('[data-source]').evaluateAll((all) => all.map((one) => one.getAttribute('data-source')));
  assert.equal(await ids(), ['first-party', 'workshop', 'lab', 'twin', 'official-backends', 'models']);
  await page.getByRole('radio', { name: 'Backends' }).check();
  assert.equal(await ids(), ['official-backends']);
  await page.getByRole('radio', { name: 'Models' }).check();
  assert.equal(await ids(), ['models']);
  await page.getByRole('radio', { name: 'All' }).check();
  assert.is((await ids()).length, 6);
  assert.equal(problems, []);
});

test('each source shows its kind, whether it is a default, and its state; what was left out and a conflict are said [SOURCES-011] [BACKENDS-005] [SOURCES-018]', async () => {
  const { page } = await open();
  const words = async (id: string) => ((await row(page, id).textContent()) ?? '').replace(/\s+/g, ' ');
  assert.match(await words('first-party'), /Add-ons ?Default.*4 releases/);
  assert.match(await words('workshop'), /Last read failed.*It could not be read.*the connection failed/);
  assert.not.match(await words('workshop'), /Default/);
  assert.match(await words('lab'), /Off/);
  assert.match(await words('twin'), /3 entries left out: model, voice.*other lists notes, tables too/);
  assert.match(await words('official-backends'), /Backends ?Default.*Not read yet/);
  assert.match(await words('models'), /Models ?Gallery ?Default.*Removed/);
  await page.getByRole('switch', { name: 'Use official libraries' }).click();
  await until(async () => /Off with the official libraries/.test(await words('first-party')), 'the default is off');
  assert.not.match(await words('lab'), /official libraries/);
});

test('a source is added by its address after plain words about trust; a refusal stays in the dialog [SOURCES-012]', async () => {
  const { mock, page, sent } = await open();
  await page.getByRole('button', { name: 'Add a source' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a source' });
  assert.match((await dialog.textContent()) ?? '', /Add it only if you trust whoever runs it/);
  const address = dialog.getByLabel('Address of its index');
  await address.fill('http://127.0.0.1:9/index.yaml');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('must begin with https', { exact: false }).waitFor();
  assert.is(await dialog.getByLabel('Format').count(), 0);
  await dialog.getByLabel('It lists').selectOption('backend');
  await dialog.getByLabel('Format').selectOption('gallery');
  await address.fill('https://new.example/index.yaml');
  await dialog.getByLabel('Name, if you like').fill('New one');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('heading', { name: /New one/ }).waitFor();
  await dialog.waitFor({ state: 'hidden' });
  const added = sent('POST').at(-1)?.body;
  assert.equal(added, { kind: 'backend', format: 'gallery', url: 'https://new.example/index.yaml', name: 'New one' });
  assert.is(mock.state.sources.length, 7);
});

test('a source is turned off and on, and removed after the page said what stays [SOURCES-012]', async () => {
  const { page, state, sent } = await open();
  const toggle = row(page, 'workshop').getByRole('switch');
  await toggle.click();
  await until(async () => (await toggle.getAttribute('aria-checked')) === 'false', 'it is off');
  assert.is(state('workshop').enabled, false);
  await row(page, 'lab').getByRole('button', { name: 'More for Lab' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this source?' });
  assert.match((await dialog.textContent()) ?? '', /stays installed, keeps its data and keeps running/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.is(sent('DELETE').length, 0);
  await row(page, 'lab').getByRole('button', { name: 'More for Lab' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await until(async () => (await row(page, 'lab').count()) === 0, 'it is gone');
});

test('a removed default stays in the list and is restored from there [SOURCES-013]', async () => {
  const { page, state } = await open();
  await row(page, 'official-backends').getByRole('button', { name: 'More for' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  const restore = row(page, 'official-backends').getByRole('button', { name: /Restore/ });
  await restore.waitFor();
  assert.is(state('official-backends').removed, true);
  await restore.click();
  await row(page, 'official-backends').getByRole('switch').waitFor();
  assert.equal([state('official-backends').removed, state('official-backends').enabled], [false, true]);
});

test('an add-on source is edited and read again; backends and models have no policy to edit here [SOURCES-014] [SOURCES-015]', async () => {
  const { page, state } = await open();
  await row(page, 'twin').getByRole('button', { name: 'More for Mirror' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit this source' });
  await dialog.getByLabel('Every package must be signed').check();
  await dialog.getByLabel('Who vouches', { exact: false }).fill('https://issuer.example');
  await dialog.getByLabel('Who must have signed', { exact: false }).fill('https://signer.example/x');
  await dialog.getByLabel('Credential', { exact: false }).fill('mirror-token');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'twin').getByText('Every package must be signed.').waitFor();
  const policy = { requireSignature: true, issuer: 'https://issuer.example', identity: 'https://signer.example/x' };
  assert.equal(
    [state('twin').policy, state('twin').authReference, state('twin').enabled],
    [policy, 'mirror-token', true],
  );
  await row(page, 'workshop')
    .getByRole('button', { name: /Read again/ })
    .click();
  await until(() => state('workshop').refresh?.failed === false, 'it was read');
  await row(page, 'official-backends').getByRole('button', { name: 'More for' }).click();
  assert.equal(await page.getByRole('menuitem').allTextContents(), ['Remove…']);
});
test.run();
