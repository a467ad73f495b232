/** What every view owes every person: room on a phone, contrast in both themes, names for all controls, no refused content. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { hostileProposal } from '../../ui/dev/mock-data.js';
import { browserSuite } from '../support/browser.js';
import { assert } from '../support/harness.js';
import { settledView } from '../support/settled-view.js';

const { test, studio } = browserSuite('look and access');

const VIEWS = [
  '/app/addons',
  '/app/addons?manage=mail-archive',
  '/app/addons?detail=tables&resource=db-airports',
  '/app/addons?tab=browse',
  '/app/addons?tab=libraries',
  '/app/approvals',
  '/app/approvals?show=history',
  '/app/nowhere',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const full = () =>
  studio.mock((state) => {
    state.proposals = [hostileProposal(), ...state.proposals];
  });

/** Shows a view without loading the page anew, as a link of the page does. */
const lead = (view: string) =>
  `history.pushState(null, '', ${JSON.stringify(view)}); dispatchEvent(new PopStateEvent('popstate'));`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

for (const theme of ['light', 'dark'] as const) {
  test(`no view has a known accessibility fault in the ${theme} theme`, async () => {
    const mock = await full();
    const { page, problems } = await studio.page(mock, '/app/addons', {
      colorScheme: theme,
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    const settled = settledView(page);
    await page.addScriptTag({ content: AXE });
    for (const view of VIEWS) {
      // Both are ways to come to a view: loading it by its address, and being led there within the page.
      if (theme === 'dark') await page.evaluate(lead(view));
      else {
        await page.goto(mock.url + view);
        await page.addScriptTag({ content: AXE });
      }
      await settled();
      const found = (await page.evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
      )) as Violation[];
      assert.equal(
        found.map(({ id, nodes }) => `${view} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
        [],
      );
    }
    assert.equal(problems, []);
  });
}

test('no view scrolls sideways on a phone of 360 pixels, and the policy refuses nothing', async () => {
  const mock = await full();
  const { page, problems } = await studio.page(mock, '/app/addons', { viewport: { width: 360, height: 740 } });
  const settled = settledView(page);
  for (const view of VIEWS) {
    await page.goto(mock.url + view);
    await settled();
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 360, view);
  }
  assert.equal(problems, []);
});

/** Pairs of text and ground as the styles use them. */
const PAIRS = [
  ['ink', 'ground'],
  ['ink', 'surface'],
  ['ink', 'raised'],
  ['ink', 'sunken'],
  ['muted', 'ground'],
  ['muted', 'surface'],
  ['muted', 'sunken'],
  ['muted', 'quiet-soft'],
  ['accent', 'ground'],
  ['accent', 'surface'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['on-accent-soft', 'accent-soft'],
  ['good', 'good-soft'],
  ['warn', 'warn-soft'],
  ['warn', 'surface'],
  ['bad', 'bad-soft'],
  ['bad', 'surface'],
  ['bad', 'raised'],
  ['ink', 'added'],
  ['ink', 'removed'],
  ['muted', 'added'],
  ['muted', 'removed'],
  ['ink', 'good-soft'],
  ['ink', 'warn-soft'],
  ['ink', 'bad-soft'],
] as const;

function luminance(rgb: string): number {
  const [red = 0, green = 0, blue = 0] = (rgb.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

for (const theme of ['light', 'dark'] as const) {
  test(`text keeps a contrast of 4.5 on every ground of the ${theme} theme`, async () => {
    const mock = await studio.mock();
    const { page } = await studio.page(mock, '/app/nowhere', { colorScheme: theme });
    for (const [text, ground] of PAIRS) {
      const colours = (await page.evaluate(`(() => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = 'var(--${text})'; probe.style.backgroundColor = 'var(--${ground})';
        const { color, backgroundColor } = getComputedStyle(probe);
        probe.remove();
        return [color, backgroundColor];
      })()`)) as [string, string];
      const [one, other] = [luminance(colours[0]), luminance(colours[1])].sort((a, b) => b - a);
      const ratio = ((one ?? 0) + 0.05) / ((other ?? 0) + 0.05);
      assert.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
  });
}

test('the choice of a theme stays in the browser', async () => {
  const mock = await studio.mock();
  const { page } = await studio.page(mock, '/app/addons', { colorScheme: 'light' });
  await page.getByLabel('Dark').check();
  await page.reload();
  await page.locator('main h1').waitFor();
  assert.is(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark');
  assert.ok(await page.getByLabel('Dark').isChecked());
});

test('all scripts together stay under 110 kB as they are sent', () => {
  const folder = new URL('../../../dist/ui/assets/', import.meta.url);
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0);
  assert.ok(scripts.length > 0 && bytes < 110_000, `${bytes} bytes`);
});

test.run();
