/** A self-signed certificate for 127.0.0.1 and localhost, made in the process: the tests need no openssl and keep no key. */
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import type { Fetch } from '../../src/packages/http-get.js';

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);

export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('castellan test')))));
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const critical = der(0x01, Buffer.from([0xff]));
  const extensions = der(
    0xa3,
    sequence(
      sequence(oid('551d13'), critical, der(0x04, sequence(critical))),
      sequence(oid('551d11'), der(0x04, names)),
    ),
  );
  const serial = der(0x02, Buffer.from([1]), createHash('sha256').update(spki).digest().subarray(0, 8));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    serial,
    algorithm,
    name,
    validity,
    name,
    spki,
    extensions,
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  const pem = certificate.toString('base64').replace(/.{1,64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${pem}-----END CERTIFICATE-----\n`,
  };
}

/** A `fetch` that trusts exactly `ca`, over node:https; it follows no redirect, like the one it stands in for. */
export function fetchTrusting(ca: string): Fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const signal = init?.signal;
      const call = request(
        new URL(String(input)),
        { ca, headers: init?.headers as Record<string, string>, agent: false, ...(signal ? { signal } : {}) },
        (answer) => {
          const headers = Object.entries(answer.headers).map(([key, value]): [string, string] => [key, String(value)]);
          resolve(
            new Response(Readable.toWeb(answer) as ReadableStream, { status: answer.statusCode ?? 500, headers }),
          );
        },
      );
      call.on('error', reject);
      call.end();
    });
}
