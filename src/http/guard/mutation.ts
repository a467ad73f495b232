/**
 * What every POST, PUT, PATCH and DELETE must be: JSON, and not sent by another site's page (wire, "Errors"). A page of
 * another origin can send neither this content type nor a missing Origin without a preflight that is never answered.
 */
import type { Context } from 'hono';
import { type Refusal, refuse } from '../../contract/refusal.js';

export interface OriginPolicy {
  /** Origins of this server besides `scheme://Host` of the request, such as that of the external URL. */
  readonly ownOrigins: ReadonlySet<string>;
  /** `http` or `https` as the browser sees it. */
  readonly scheme: (context: Context) => 'http' | 'https';
}

const MUTATIONS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function refusedMutation(context: Context, policy: OriginPolicy): Refusal | undefined {
  if (!MUTATIONS.has(context.req.method)) return undefined;
  const header = (name: string) => context.req.header(name);
  if (header('content-encoding') !== undefined)
    return refuse(
      'unsupported_media',
      'A Content-Encoding is not accepted. Send the body as plain JSON. Nothing changed.',
    );
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(header('content-type') ?? ''))
    return refuse('unsupported_media', 'The Content-Type must be application/json. Nothing changed.');
  const origin = header('origin');
  if (origin !== undefined && !isOwnOrigin(context, origin, policy))
    return refuse('denied', 'The request came from a page of another site. Nothing changed.');
  if (fromAnotherSite(context))
    return refuse('denied', 'The request came from a page of another site. Nothing changed.');
  return undefined;
}

/** Whether a browser says that a page of another site, or of another port of this one, made the request. */
export function fromAnotherSite(context: Context): boolean {
  const site = context.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isOwnOrigin(context: Context, origin: string, policy: OriginPolicy): boolean {
  if (policy.ownOrigins.has(origin)) return true;
  return origin === `${policy.scheme(context)}://${context.req.header('host') ?? ''}`;
}
