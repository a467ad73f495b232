/**
 * The Host rule, judged on the raw request before any routing: without it a hostile page could rebind its own name to
 * this address and become same-origin, and Hono would take the host from an absolute-form target (wire, "Errors", 421).
 */
import type { IncomingMessage } from 'node:http';

export interface HostPolicy {
  /** Host names allowed besides localhost and the socket's own address, lower case, without a port. */
  readonly allowedHosts: ReadonlySet<string>;
}

/** Paths a load balancer may ask under any name. */
const EXEMPT = new Set(['/healthz', '/readyz']);

/** Why the request's host is refused, or undefined when it may go on. */
export function refusedHost(request: IncomingMessage, policy: HostPolicy): string | undefined {
  const target = request.url ?? '';
  if (!target.startsWith('/')) return 'the request target must be a path';
  if (EXEMPT.has(target.split('?', 1)[0] ?? '')) {
    // What follows builds a URL and would refuse a missing or malformed name; these two answers do not depend on it.
    request.headers.host = 'localhost';
    return undefined;
  }
  const values = headerValues(request, 'host');
  if (values.length === 0) return 'the Host header is missing';
  if (values.length > 1) return 'the Host header is repeated';
  const host = hostName(values[0] ?? '');
  if (host === undefined) return 'the Host header is malformed';
  const own = ownAddress(request.socket.localAddress);
  if (host === 'localhost' || host === own || policy.allowedHosts.has(host)) return undefined;
  return 'this server is not known under that name';
}

/** The values of a header as they came; Node folds repeated ones and would hide the second Host. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2)
    if (request.rawHeaders[i]?.toLowerCase() === name) values.push(request.rawHeaders[i + 1] ?? '');
  return values;
}

/** The name part of `name`, `name:port` or `[v6]:port`, lower case; undefined when it is none of these. */
export function hostName(value: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(value);
  if (Number(match?.[3] ?? 0) > 65_535) return undefined;
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

function ownAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '').toLowerCase();
}
