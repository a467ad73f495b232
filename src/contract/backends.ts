/** What crosses the API about backends of libraries (04:310-366). */
import { closed, t } from './fp.js';

/** Names an entry and nothing else: image, digest and policy are the library's to say (04:325-329). */
export const backendBody = closed('backend', { sourceId: t.string, name: t.string, version: t.string });
export type BackendRequest = t.TypeOf<typeof backendBody>;

export type BackendPhase = 'resolving' | 'verifying' | 'size' | 'fetching' | 'writing' | 'done';

export interface BackendJob {
  readonly id: string;
  readonly name: string;
  readonly library: string;
  /** The step it is in, or the one that failed. */
  readonly phase: BackendPhase;
  /** Of the fetch, from 0 to 100. */
  readonly progress: number;
  readonly downloadedBytes?: number;
  readonly totalBytes?: number;
  /** It ended, well or not. */
  readonly processed: boolean;
  readonly message?: string;
  readonly error?: string;
}
