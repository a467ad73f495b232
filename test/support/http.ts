/** The HTTP application over a fake gateway, and the headers of a browser that confirms. */
import type { Hono } from 'hono';
import { systemClock, systemIds } from '../../src/cli/system.js';
import type { Clock } from '../../src/commands/ports.js';
import { createApp } from '../../src/http/app.js';
import type { ConfirmCodes } from '../../src/http/guard/confirm-code.js';
import { StreamSlots } from '../../src/http/streams.js';
import { fakeGateway } from './fake-gateway.js';

export const ORIGIN = 'http://127.0.0.1:8080';
export const silentLog = { debug() {}, info() {}, warn() {}, error() {} };

/** What a browser sends with a fetch from this server's own page. */
export const BROWSER: Readonly<Record<string, string>> = {
  Origin: ORIGIN,
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
};

export function httpFixture(
  answers: Readonly<Record<string, unknown>> = {},
  codes?: ConfirmCodes,
  clock: Clock = systemClock,
) {
  const { gateway, reached } = fakeGateway(answers);
  const streams = new StreamSlots();
  const app = createApp({
    gateway,
    clock,
    ids: systemIds,
    log: silentLog,
    streams,
    version: '0.0.0',
    origins: { ownOrigins: new Set(['https://castellan.example']), scheme: () => 'http' },
    uiDir: '/nonexistent',
    ...(codes === undefined ? {} : { codes }),
  });
  return { app, reached, streams };
}

type HeaderMap = Readonly<Record<string, string | undefined>>;

/** A JSON POST; a header given as undefined is left out. */
export function post(app: Hono, path: string, body: unknown, headers: HeaderMap = {}): Promise<Response> {
  const all = { Host: '127.0.0.1:8080', 'Content-Type': 'application/json', ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Promise.resolve(app.request(`${ORIGIN}${path}`, { method: 'POST', body: text, headers: sent }));
}

export async function errorOf(response: Response): Promise<{ type: string; code?: string; message: string }> {
  return ((await response.json()) as { error: { type: string; code?: string; message: string } }).error;
}
