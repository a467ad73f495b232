/** Registries that answer wrongly, lie about lengths, cut connections, or send too slowly. */
import type { ServerResponse } from 'node:http';
import type { Image } from '../../../support/oci-image.js';
import type { Case, Reply } from './rig.js';

const failed = 'package_fetch_failed' as const;
const unverified = 'package_unverified' as const;

/** The first layer is answered like this. */
const layer = (
  what: string,
  refused: Case['refused'],
  words: RegExp,
  reply: (bytes: Buffer) => Reply,
  more: Partial<Case> = {},
): Case => ({
  what,
  refused,
  words,
  registry: (_hosts, { blobs: [, first] }: Image) =>
    first === undefined ? {} : { [`blobs/${first.digest}`]: reply(first.bytes) },
  ...more,
});
/** The manifest is answered like this. */
const manifest = (what: string, words: RegExp, reply: (bytes: Buffer) => Reply, more: Partial<Case> = {}): Case => ({
  what,
  refused: failed,
  words,
  registry: (_hosts, image) => ({ [`manifests/${image.manifest.digest}`]: reply(image.manifest.bytes) }),
  ...more,
});

const cut = (bytes: Buffer, at: number) => (response: ServerResponse) => {
  response.write(bytes.subarray(0, at), () => setTimeout(() => response.destroy(), 20));
};
const drip = (bytes: Buffer, everyMs: number) => (response: ServerResponse) => {
  let at = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + 1));
    at += 1;
  }, everyMs);
  response.on('close', () => clearInterval(timer));
};
const endless = (response: ServerResponse) => {
  const piece = Buffer.alloc(65_536, ' ');
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
};
const silent = () => undefined;
const statuses = [201, 204, 206, 301, 400, 401, 403, 410, 429, 500, 502, 503];

export const ANSWERS: readonly Case[] = [
  ...statuses.map((status) =>
    manifest(`status ${status} for a manifest`, /status|busy|not allow|not take|redirect/, () => ({ status })),
  ),
  ...[204, 206, 500].map((status) =>
    layer(`status ${status} for a layer`, failed, /status/, (bytes) => ({
      status,
      ...(status === 206 ? { body: bytes } : {}),
    })),
  ),
  layer('a layer that is not there', failed, /does not have it/, () => ({ status: 404 })),
  manifest('a manifest in another coding', /compressed/, (body) => ({ body, headers: { 'content-encoding': 'gzip' } })),
  layer('a layer in another coding', failed, /compressed/, (body) => ({ body, headers: { 'content-encoding': 'br' } })),
  layer('a layer with one byte changed', unverified, /not the one its manifest names|damaged|not allowed/, (bytes) => ({
    body: Buffer.concat([bytes.subarray(0, 9), Buffer.from([3 - (bytes[9] ?? 0)]), bytes.subarray(10)]),
  })),
  layer('a layer that is another one', unverified, /not as large|not the one/, () => ({ body: 'something else' })),
  layer('a layer with a byte more', unverified, /not as large/, (bytes) => ({
    body: Buffer.concat([bytes, Buffer.alloc(1)]),
  })),
  layer('a layer with a byte more, in pieces', unverified, /not as large|behind/, (bytes) => ({
    body: (response) => void response.write(bytes, () => response.end('x')),
  })),
  layer('a layer with a byte less', unverified, /not as large/, (bytes) => ({ body: bytes.subarray(0, -1) })),
  layer('a layer with a byte less, in pieces', unverified, /not as large|ends early/, (bytes) => ({
    body: (response) => void response.write(bytes.subarray(0, 20), () => response.end(bytes.subarray(20, -1))),
  })),
  layer('a length that is a lie', unverified, /not as large/, (body) => ({ body, headers: { 'content-length': '7' } })),
];

export const CUTS: readonly Case[] = [
  manifest('a connection cut in the manifest', /cut/, (bytes) => ({ body: cut(bytes, 40) })),
  layer('a connection cut in a layer', failed, /cut/, (bytes) => ({ body: cut(bytes, 40) })),
  layer('a connection cut at the last byte of a layer', failed, /cut/, (bytes) => ({
    headers: { 'content-length': String(bytes.length) },
    body: cut(bytes, bytes.length - 1),
  })),
  manifest('a connection cut before the answer', /cut/, () => ({
    body: (response) => void response.socket?.destroy(),
  })),
  manifest('a manifest without end', /larger than 4 MiB/, () => ({ body: endless })),
  layer('a layer without end', unverified, /not as large|behind|damaged/, () => ({ body: endless })),
];

/** Only what a case is about is short, so that a busy machine does not end something else first. */
const quick = { requestMs: 120 };
const stalls = { stallMs: 120 };
export const SLOW: readonly Case[] = [
  manifest('a manifest that never comes', /did not answer|too slowly|too long/, () => ({ body: silent }), {
    times: quick,
  }),
  manifest('a manifest a byte at a time', /too long|too slowly/, (bytes) => ({ body: drip(bytes, 10) }), {
    times: quick,
  }),
  layer('a layer that never comes', failed, /too slowly|did not answer/, () => ({ body: silent }), { times: stalls }),
  layer('a layer a byte at a time', failed, /too slowly/, (bytes) => ({ body: drip(bytes, 10) }), { times: stalls }),
  layer('a layer that takes too long', failed, /too long/, (bytes) => ({ body: drip(bytes, 10) }), {
    times: { layerMs: 240 },
  }),
];
