/** Redirect games and games with tokens: where a download is sent, and who is asked for what (06:143-149, 190-195). */
import type { Image } from '../../../support/oci-image.js';
import { type Case, type Hosts, type Reply, SECRET } from './rig.js';

const failed = 'package_fetch_failed' as const;
const unverified = 'package_unverified' as const;
const to = (location: string, status = 307): Reply => ({ status, headers: { location } });

/** The first layer is sent to `location`. */
const redirected = (
  what: string,
  words: RegExp,
  location: (hosts: Hosts, digest: string) => string,
  more: Partial<Case> = {},
): Case => ({
  what: `a layer that is sent to ${what}`,
  refused: failed,
  words,
  registry: (hosts, { blobs: [, layer] }: Image) =>
    layer === undefined ? {} : { [`blobs/${layer.digest}`]: to(location(hosts, layer.digest)) },
  ...more,
});
const notAllowed = /redirects a download to an address that is not allowed/;

export const REDIRECTS: readonly Case[] = [
  redirected('plain HTTP elsewhere', notAllowed, () => 'http://storage.example/blob'),
  redirected(
    'plain HTTP on localhost by name',
    notAllowed,
    ({ other }) => `http://localhost:${other.split(':')[1]}/blob`,
  ),
  redirected('plain HTTP in the private network', notAllowed, () => 'http://169.254.169.254/latest/meta-data'),
  redirected('a file', notAllowed, () => 'file:///etc/passwd'),
  redirected('another scheme', notAllowed, () => 'ftp://storage.example/blob'),
  redirected('an address with credentials', notAllowed, ({ other }) => `http://user:word@${other}/blob`),
  redirected('an address that is none', notAllowed, () => 'http://['),
  redirected('an address of 5 KB', notAllowed, ({ other }) => `http://${other}/${'a'.repeat(5000)}`),
  redirected('nowhere', notAllowed, () => ''),
  redirected(
    'itself for ever',
    /did not take the credential/,
    ({ registry }, digest) => `http://${registry}/v2/acme/sample/blobs/${digest}`,
  ),
  redirected('a host that sends it on for ever', /more than three times/, ({ other }) => `http://${other}/1`, {
    reachesOther: true,
    other: () => Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`/${at}`, to(`/${at + 1}`, 302)])),
  }),
  redirected(
    'a host that sends it back to the registry',
    /did not take the credential/,
    ({ other }) => `http://${other}/1`,
    {
      reachesOther: true,
      other: ({ registry }, { blobs: [, layer] }) => ({
        '/1': to(`http://${registry}/v2/acme/sample/blobs/${layer?.digest}`),
      }),
    },
  ),
  redirected('a host that sends it to plain HTTP elsewhere', notAllowed, ({ other }) => `http://${other}/1`, {
    reachesOther: true,
    other: () => ({ '/1': to('http://storage.example/blob') }),
  }),
  redirected('a host that asks for a credential', /did not take the credential/, ({ other }) => `http://${other}/1`, {
    reachesOther: true,
    other: () => ({ '/1': { status: 401, headers: { 'www-authenticate': 'Basic realm="storage"' } } }),
  }),
  redirected('a host that has other bytes', /not as large|not the one|damaged/, ({ other }) => `http://${other}/1`, {
    refused: unverified,
    reachesOther: true,
    other: () => ({ '/1': { body: 'something else' } }),
  }),
  redirected('a host that has no bytes', /does not have it/, ({ other }) => `http://${other}/1`, {
    reachesOther: true,
  }),
  redirected('a host that fails', /status 500/, ({ other }) => `http://${other}/1`, {
    reachesOther: true,
    other: () => ({ '/1': { status: 500 } }),
  }),
  ...[301, 302, 303, 307, 308].map(
    (status): Case => ({
      what: `a manifest that is redirected with ${status}`,
      refused: failed,
      words: /redirect, which is not followed/,
      registry: ({ other }, { manifest }) => ({
        [`manifests/${manifest.digest}`]: to(`http://${other}/manifest`, status),
      }),
      other: (_hosts, { manifest }) => ({
        '/manifest': { body: manifest.bytes, headers: { 'content-type': manifest.mediaType } },
      }),
    }),
  ),
  redirected(
    'another place with a status that is none',
    /redirect, which is not followed/,
    ({ other }) => `http://${other}/1`,
    {
      registry: ({ other }, { blobs: [, layer] }) => ({ [`blobs/${layer?.digest}`]: to(`http://${other}/1`, 300) }),
    },
  ),
];

/** The registry asks for a token at `realm`. */
const token = (what: string, words: RegExp, realm: (hosts: Hosts) => string, more: Partial<Case> = {}): Case => ({
  what: `a token from ${what}`,
  refused: failed,
  words,
  challenge: (hosts) => `Bearer realm="${realm(hosts)}",service="s",scope="repository:acme/sample:pull,push"`,
  ...more,
});
const anonymous = { origin: 'http://127.0.0.1:1' };
const asks = ({ other }: Hosts) => `http://${other}/token`;
const tokenAnswer = (what: string, words: RegExp, reply: Reply, more: Partial<Case> = {}): Case =>
  token(what, words, asks, {
    binding: anonymous,
    reachesOther: true,
    other: () => ({ '/token?service=s&scope=repository%3Aacme%2Fsample%3Apull': reply }),
    ...more,
  });

export const TOKENS: readonly Case[] = [
  token('a host its credential is not for', /tokenOrigins/, asks),
  token('a host of another domain', /tokenOrigins/, () => 'https://auth.evil.example/token'),
  token('a host of another domain, without a credential', /another domain/, () => 'https://auth.evil.example/token', {
    binding: anonymous,
  }),
  token('plain HTTP elsewhere', /no place for tokens/, () => 'http://auth.example/token', { binding: anonymous }),
  token('localhost by name', /no place for tokens/, ({ other }) => `http://localhost:${other.split(':')[1]}/token`),
  token('a file', /no place for tokens/, () => 'file:///etc/passwd'),
  token('an address with credentials', /no place for tokens/, ({ other }) => `http://user:word@${other}/token`),
  token('nowhere', /no place for tokens/, () => ''),
  tokenAnswer('a host that redirects', /redirect, which is not followed/, to('/elsewhere')),
  tokenAnswer('a host that refuses', /status 403/, { status: 403 }),
  tokenAnswer('a host that is not there', /status 404/, { status: 404 }),
  tokenAnswer('a host that answers no JSON', /is not one/, { body: '<html>' }),
  tokenAnswer('a host that answers a list', /is not one/, { body: '[]' }),
  tokenAnswer('a host that answers an empty token', /is not one/, { body: '{"token":""}' }),
  tokenAnswer('a host that answers a token of two lines', /is not one/, { body: '{"token":"a\\r\\nX-Evil: 1"}' }),
  tokenAnswer('a host that answers a token of 20 KB', /is not one/, {
    body: JSON.stringify({ token: 'a'.repeat(20_000) }),
  }),
  tokenAnswer('a host that answers 70 KB', /too large/, {
    body: JSON.stringify({ token: 'a', more: 'a'.repeat(70_000) }),
  }),
  tokenAnswer('a host whose token the registry does not take', /did not take/, { body: '{"token":"bad"}' }),
  tokenAnswer(
    'a host that never answers',
    /too slowly|did not answer|too long/,
    { body: () => undefined },
    {
      times: { requestMs: 800 },
    },
  ),
];

const challenged = (what: string, words: RegExp, challenge: string, more: Partial<Case> = {}): Case => ({
  what: `a challenge ${what}`,
  refused: failed,
  words,
  challenge: () => challenge,
  ...more,
});
const unknown = /kind of credential that this server does not know/;

export const CHALLENGES: readonly Case[] = [
  challenged('of another scheme', unknown, 'Negotiate'),
  challenged('of the digest scheme', unknown, 'Digest realm="x", nonce="y"'),
  challenged('that is empty', unknown, ''),
  challenged('that is malformed', unknown, 'Bearer realm="http://'),
  challenged('with one parameter twice', unknown, 'Bearer realm="https://a.example",realm="https://b.example"'),
  challenged('without a realm', /no place for tokens/, 'Bearer service="s"'),
  challenged('for a password, and none is set up', /none is set up/, 'Basic realm="x"', { binding: anonymous }),
  challenged('for a password that is refused', /did not take/, 'Basic realm="x"', {
    binding: { secret: { value: 'a:b' } },
  }),
  challenged('for a password that may not go over plain HTTP', /plain HTTP/, 'Basic realm="x"', {
    binding: { allowInsecure: false },
  }),
  challenged('for a password that cannot be read', /could not be read/, 'Basic realm="x"', {
    binding: { secret: { file: '/nonexistent' } },
  }),
  challenged('for a password, and a token is set up', /another kind/, 'Basic realm="x"', {
    binding: { kind: 'bearer', secret: { value: SECRET } },
  }),
];

export const ADDRESSES: readonly Case[] = [
  ['a host that is a number', '0x7f000001'],
  ['a host that leaves numbers out', '127.1'],
  ['a port that is none', '127.0.0.1:99999'],
].map(
  ([what = '', host]): Case => ({
    what,
    refused: failed,
    words: /not a plain host and port/,
    release: { artifact: `oci://${host}/acme/sample` },
  }),
);
