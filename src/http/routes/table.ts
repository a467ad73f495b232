/** How a route is declared: one table is the router, the list of reserved add-on ids and the source of the API description. */
import type { t } from '../../contract/fp.js';
import type { Call } from '../call.js';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Hono syntax, `/api/addons/proposals/:id`. */
  readonly path: string;
  /** One sentence for the API description. */
  readonly summary: string;
  /** What decodes the body of a mutation; the API description is made from it. */
  readonly body?: t.Mixed;
  /** Query parameters, each with what it means. */
  readonly query?: Readonly<Record<string, string>>;
  /** Only from the person's own browser, over the confirmation surface. */
  readonly ownSession?: true;
  readonly handle: (call: Call) => Promise<Response>;
}

/** The first path segments served under `/api/addons/`, which no add-on id may take (05:16-19). */
export function segmentsUnderAddons(routes: readonly Route[]): ReadonlySet<string> {
  const segments = routes.map((route) => /^\/api\/addons\/([a-z-]+)/.exec(route.path)?.[1]);
  return new Set(segments.filter((segment) => segment !== undefined));
}
