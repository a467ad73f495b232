/** What the page asks about this browser: the features it may show, and the local confirmation code. */
import { closed, isLeft, left, t } from '../../contract/fp.js';
import { refuse } from '../../contract/refusal.js';
import { refusalResponse } from '../answers.js';
import { requestBody } from '../body.js';
import type { Call } from '../call.js';
import type { Route } from './table.js';

const codeBody = closed('code', { code: t.string });

async function enterCode(call: Call): Promise<Response> {
  const { codes } = call.deps;
  if (codes === undefined)
    return refusalResponse(
      call.context,
      refuse('not_found', 'This server asks for no code. Confirmations work without one.'),
    );
  const site = call.context.req.header('sec-fetch-site');
  const body =
    site === 'same-origin'
      ? await requestBody(call.context, codeBody)
      : left(refuse('denied', 'Enter the code on the page.'));
  if (isLeft(body)) return refusalResponse(call.context, body.left);
  const pause = codes.pauseSeconds();
  if (pause > 0)
    return refusalResponse(
      call.context,
      refuse(
        'busy',
        `Too many wrong codes were entered. Nothing changed, and this one was not looked at. Wait ${pause} ${pause === 1 ? 'second' : 'seconds'}, then enter the newest code of the terminal.`,
        { retryAfter: pause },
      ),
    );
  if (codes.enter(call.context, body.right.code)) return call.context.body(null, 204);
  return refusalResponse(
    call.context,
    refuse('denied', 'That is not the code shown in the terminal. Nothing changed. Look it up and try again.'),
  );
}

export const sessionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/features',
    summary: 'Which features the caller holds.',
    handle: async (call) =>
      call.context.json({
        addons: true,
        fine_tuning: false,
        quantization: false,
        model_exports: false,
        addon_navigation: true,
      }),
  },
  {
    method: 'POST',
    path: '/api/local-confirm',
    summary: 'Takes the one-time code of the terminal and lets this browser confirm.',
    body: codeBody,
    handle: enterCode,
  },
];
