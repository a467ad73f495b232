/** The response headers that keep browsers from mixing this origin with any other (wire, "Errors"). */
import type { MiddlewareHandler } from 'hono';

const COMMON: Readonly<Record<string, string>> = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/** For pages: everything from this origin only, nothing framed, no base tag. */
export const PAGE_POLICY =
  "default-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** For answers that are data: nothing in them may load or run anything. */
const DATA_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Headers for an answer written without Hono, such as the refusal of a wrong host. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Content-Security-Policy': DATA_POLICY,
  'Cache-Control': 'no-store',
};

const HEADERS = Object.entries(DATA_HEADERS);

/** Sets the common headers and the data policy before the handler runs, which may set others in their place. */
export const securityHeaders: MiddlewareHandler = (context, next) => {
  for (const [name, value] of HEADERS) context.header(name, value);
  return next();
};
