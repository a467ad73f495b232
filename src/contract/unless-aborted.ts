/** Waits for work no longer than a signal allows; the work itself goes on. */

/** What `work` gives, or `given` as soon as the signal fires; at once when it has fired already. */
export async function unlessAborted<A, B>(work: Promise<A>, signal: AbortSignal, given: B): Promise<A | B> {
  const settled = new AbortController();
  const aborted = new Promise<B>((resolve) => {
    if (signal.aborted) resolve(given);
    else signal.addEventListener('abort', () => resolve(given), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
  }
}
