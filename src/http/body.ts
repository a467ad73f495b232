/** Reads request bodies: bounded while they stream in, one JSON value, unknown and repeated fields refused. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { type Either, isLeft, left, right, type t } from '../contract/fp.js';
import { DEFAULT_LIMITS } from '../contract/limits.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import { bodyOf, strictBody } from '../contract/request-body.js';
import { emptyBody } from '../contract/requests.js';

/** Bytes of any request body (wire, "Errors", 413). */
const MAX_BODY = DEFAULT_LIMITS.envelopeBytes;

/** The body as bytes, or `too_large` as soon as it is over the bound; the rest is not read. */
async function readBytes(context: Context, maxBytes = MAX_BODY): Promise<Either<Refusal, Uint8Array>> {
  const tooLarge = left(
    refuse('too_large', `The request body is over ${maxBytes} bytes. Nothing changed. Send less at a time.`),
  );
  const declared = Number(context.req.header('content-length') ?? '0');
  if (declared > maxBytes) return tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(context)) {
    size += chunk.byteLength;
    if (size > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  return right(Buffer.concat(chunks, size));
}

/** From the connection itself where there is one: the web stream over it costs more than the rest of a small request. */
function chunksOf(context: Context): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  if (incoming !== undefined) return incoming.iterator({ destroyOnReturn: false });
  return (context.req.raw.body as AsyncIterable<Uint8Array> | null) ?? [];
}

/** A body that must be strict throughout. Refuses `too_large` (413) and `invalid_request` (400). */
export async function requestBody<T>(context: Context, codec: t.Type<T>): Promise<Either<Refusal, T>> {
  const bytes = await readBytes(context);
  return isLeft(bytes) ? bytes : strictBody(bytes.right, codec);
}

/** A request that says all in its address: no body, or an empty object. Refuses `invalid_request` (400) for anything else. */
export async function nothingInBody(context: Context): Promise<Either<Refusal, void>> {
  const bytes = await readBytes(context);
  if (isLeft(bytes)) return bytes;
  const empty = bytes.right.byteLength === 0 ? right({}) : strictBody(bytes.right, emptyBody);
  return isLeft(empty) ? empty : right(undefined);
}

/** A body whose `arguments` the owner judges on their raw text; everything around them is strict here. */
export async function requestBodyWithArguments<T>(
  context: Context,
  codec: t.Type<T>,
): Promise<Either<Refusal, { value: T; rawArguments: string }>> {
  const bytes = await readBytes(context);
  return isLeft(bytes) ? bytes : bodyOf(bytes.right, codec);
}
