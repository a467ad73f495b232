/** How refusals and values become responses; the only place of `http/` that writes an error body. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Either, isLeft } from '../contract/fp.js';
import { errorOf, type Refusal } from '../contract/refusal.js';

export function refusalResponse(context: Context, refusal: Refusal): Response {
  const { status, body } = errorOf(refusal);
  const retryAfter = refusal.detail?.retryAfter;
  if (retryAfter !== undefined) context.header('Retry-After', String(Math.max(1, Math.ceil(retryAfter))));
  return context.json(body, status as ContentfulStatusCode);
}

/** 200 (or `status`) with the value as JSON, or the refusal. */
export function answer<A>(context: Context, result: Either<Refusal, A>, status: ContentfulStatusCode = 200): Response {
  return isLeft(result) ? refusalResponse(context, result.left) : context.json(result.right as object, status);
}
