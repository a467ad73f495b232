/** Drives the built page in a headless Chromium against the mock server. A missing browser or build fails the run plainly. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Mock, startMock } from '../../ui/dev/mock.js';
import { fullState, type MockState } from '../../ui/dev/mock-state.js';
import { findChromium } from './chromium.js';
import { type Suite, suite } from './harness.js';

const DIST = fileURLToPath(new URL('../../../dist/ui', import.meta.url));
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** On a busy machine a page can take many seconds to load. */
const DEADLINE_MS = 150_000;

/** A suite with a browser of its own, started before its tests and ended after them. */
export function browserSuite(name: string): { test: Suite; studio: Studio } {
  const inner = suite(name);
  const studio = new Studio();
  inner.before(() => studio.start());
  inner.afterEach(() => studio.clear());
  inner.after(() => studio.stop());
  const add = (title: string, body: () => void | Promise<void>) => inner(title, body, DEADLINE_MS);
  return { test: Object.assign(add, inner), studio };
}

/** One browser for a test file. */
export class Studio {
  #browser: Browser | undefined;
  #home: string | undefined;
  #mocks: Mock[] = [];

  async start(): Promise<void> {
    if (!existsSync(join(DIST, 'index.html'))) throw new Error('The page is not built: run npm run build first.');
    // A home of its own, since the run may be by a user without one.
    this.#home = mkdtempSync(join(tmpdir(), 'castellan-browser-'));
    this.#browser = await chromium.launch({
      timeout: 60_000,
      executablePath: await findChromium(),
      args: FLAGS,
      env: { ...process.env, HOME: this.#home, XDG_CONFIG_HOME: this.#home, XDG_CACHE_HOME: this.#home },
    });
  }

  async stop(): Promise<void> {
    await this.clear();
    await this.#browser?.close();
    if (this.#home !== undefined) rmSync(this.#home, { recursive: true, force: true });
  }

  /** Closes what a test opened: a page left open goes on asking its server and takes time from the next test. */
  async clear(): Promise<void> {
    for (const context of this.#browser?.contexts() ?? []) await context.close();
    for (const mock of this.#mocks.splice(0)) await mock.close();
  }

  /** A mock server in the full state, changed by `change` before it starts. */
  async mock(change?: (state: MockState) => void): Promise<Mock> {
    const state = fullState();
    change?.(state);
    const mock = await startMock({ dist: DIST, state });
    this.#mocks.push(mock);
    return mock;
  }

  /** A page of any server, in a fresh browser profile. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    if (this.#browser === undefined) throw new Error('start the studio first');
    const page = await (await this.#browser.newContext(options)).newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(url);
    return page;
  }

  /** A page in a fresh browser profile; what it reports as an error fails the test through `problems`. */
  async page(
    mock: Mock,
    path: string,
    options: BrowserContextOptions & { fakeClock?: boolean } = {},
  ): Promise<Watched> {
    if (this.#browser === undefined) throw new Error('start the studio first');
    const { fakeClock, ...context } = options;
    const page = await (await this.#browser.newContext(context)).newPage();
    page.setDefaultTimeout(60_000);
    if (fakeClock === true) await holdTime(page, mock);
    return watch(page, mock, path);
  }
}

export interface Watched {
  readonly page: Page;
  /** Errors of the page itself: exceptions, refused content, failed loads. */
  readonly problems: readonly string[];
  /** Lets time pass, on a page with a fake clock and on its server. */
  advance(ms: number): Promise<void>;
  /** Another tab of the same profile. */
  tab(path: string): Promise<Watched>;
  close(): Promise<void>;
}

/** Stops the page's clock and the server's at the same moment, so that a slow machine changes nothing. */
async function holdTime(page: Page, mock: Mock): Promise<void> {
  const start = Date.now();
  mock.state.now = () => start;
  await page.clock.install({ time: start - 1_000 });
  await page.clock.pauseAt(start);
}

async function watch(page: Page, mock: Mock, path: string): Promise<Watched> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A refused or cut call is part of many tests; the browser reports each as an error of its own.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  await page.goto(mock.url + path);
  await page.locator('main h1').waitFor();
  return {
    page,
    problems,
    advance: async (ms) => {
      const before = mock.state.now();
      mock.state.now = () => before + ms;
      await page.clock.runFor(ms);
    },
    tab: async (other) => watch(await page.context().newPage(), mock, other),
    close: () => page.context().close(),
  };
}

/** Waits until `check` holds, at most `ms`. */
export async function until(check: () => boolean | Promise<boolean>, what: string, ms = 30_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`did not happen within ${ms} ms: ${what}`);
    await new Promise((wake) => setTimeout(wake, 25));
  }
}

/** Waits until all that the page sent so far is with the server and was taken: two calls of the page went there and back since. */
export async function caughtUp(page: Page): Promise<void> {
  for (let call = 0; call < 2; call += 1) await page.evaluate('fetch("/favicon.ico").then((answer) => answer.text())');
}
