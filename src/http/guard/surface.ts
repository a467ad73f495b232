/**
 * The host confirmation surface (chapter 10, "Confirm", rules 1, 2 and 4): a same-origin fetch of this server's own
 * page, without any API credential and without a tool, agent or MCP marker. Rule 3 (`X-LocalAI-Confirm` equal to the
 * id it guards) is compared by the owner, who gets the header's value as the surface's subject.
 */
import type { Context } from 'hono';
import { type Either, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { ConfirmCodes } from './confirm-code.js';

const MARKERS = ['mcp-session-id', 'x-localai-tool-call', 'x-localai-agent', 'x-localai-execution-context'];
const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'x-api-key', 'xi-api-key'];
const CREDENTIAL_QUERY = ['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token', 'authorization'];

const DENIED = refuse(
  'denied',
  'Only the person can do this, on the page of this server in their own browser. Nothing changed. Open the approvals page and decide there.',
);

/** @param codes present when `--local-confirm-code` is on: then the cookie of an entered code is needed too. */
export function surfaceOf(
  context: Context,
  codes: ConfirmCodes | undefined,
): Either<Refusal, { readonly subject: string }> {
  const header = (name: string) => context.req.header(name);
  if (header('sec-fetch-site') !== 'same-origin' || header('sec-fetch-dest') !== 'empty') return left(DENIED);
  if (!['cors', 'same-origin'].includes(header('sec-fetch-mode') ?? '')) return left(DENIED);
  if ([...MARKERS, ...CREDENTIAL_HEADERS].some((name) => header(name) !== undefined)) return left(DENIED);
  const query = new URL(context.req.url).searchParams;
  if ([...query.keys()].some((key) => CREDENTIAL_QUERY.includes(key.toLowerCase()))) return left(DENIED);
  if (codes !== undefined && !codes.holds(context))
    return left(
      refuse('denied', 'Enter the code that the server printed in its terminal, then confirm again. Nothing changed.', {
        code: 'confirm_code_required',
      }),
    );
  return right({ subject: header('x-localai-confirm') ?? '' });
}
