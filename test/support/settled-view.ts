/** Waits until a view shows all that it will show by itself: nothing is asked, drawn, moved or guarded any more. */
import type { Page, Request } from 'playwright-core';
import { until } from './browser.js';

const QUIET_MS = 150;
/** True once nothing of the document changed for a while, though a countdown may change it each second. */
const QUIET = `new Promise((resolve) => {
  const busy = () => document.querySelector('main h1') === null
    || document.querySelector('[aria-busy=true], .btn-confirm[data-guard=waiting]') !== null
    || document.getAnimations().some(({ playState }) => playState === 'running');
  const done = () => { observer.disconnect(); resolve(!busy()); };
  let timer = setTimeout(done, ${QUIET_MS});
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, ${QUIET_MS}); });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})`;

export function settledView(page: Page): () => Promise<void> {
  const asked = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/events')) asked.add(request);
  });
  const ended = (request: Request) => {
    asked.delete(request);
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return () => until(async () => (await page.evaluate(QUIET)) === true && asked.size === 0, 'the view is settled');
}
