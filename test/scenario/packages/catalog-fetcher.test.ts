import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { type CatalogFetcherOptions, createCatalogFetcher } from '../../../src/packages/catalog-fetcher.js';
import { createCredentialResolver } from '../../../src/packages/credentials.js';
import { fetchTrusting, selfSigned } from '../../support/certificate.js';
import { assert, suite } from '../../support/harness.js';
import { handClock, memoryLog, realClock, withServer } from '../../support/packages.js';

const test = suite('catalog fetcher');
const INDEX = `- id: tables
  name: Tables
  version: 1.0.0
  artifact: https://library.example/tables.tar
  digest: sha256:${'a'.repeat(64)}
  os: linux
  arch: amd64
`;
const SECRET = 'remote-secret-words';
const open = { requireSignature: false, allowLoopbackHTTP: true };

interface Ask {
  readonly policy?: { readonly requireSignature: boolean; readonly allowLoopbackHTTP?: boolean };
  readonly authReference?: string;
  readonly signal?: AbortSignal;
  readonly options?: Partial<CatalogFetcherOptions>;
}
const ask = (url: string, { policy = open, authReference, signal, options }: Ask = {}) =>
  createCatalogFetcher({ clock: realClock, log: memoryLog(), ...options }).fetch(
    { id: 'here', url, policy, ...(authReference === undefined ? {} : { authReference }) },
    signal ?? new AbortController().signal,
  );
/** The message of the refusal, after checking that it is redacted. */
const refusal = async (url: string, asked: Ask = {}): Promise<string> => {
  const result = await ask(url, asked);
  if (!isLeft(result)) throw new Error('not refused');
  assert.is(result.left.refusal, 'library_unavailable');
  const text = JSON.stringify(result.left);
  for (const word of [SECRET, 'http://', 'https://', '127.0.0.1', 'library.example', 'token-of-the-operator'])
    assert.not.ok(text.includes(word), `${word} in ${text}`);
  return result.left.message;
};
const text =
  (body: string, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

test('an index over opted-in loopback HTTP is read; the source of a release is ours, and nothing claims a verified signature [CATALOG-033] [CATALOG-034]', () =>
  withServer(text(INDEX), async (origin) => {
    const result = await ask(`${origin}/index.yaml`);
    assert.ok(isRight(result));
    assert.is(result.right.releases[0]?.sourceId, 'here');
    assert.is(result.right.releases.length, 1);
    assert.not.match(JSON.stringify(result.right), /verif|sign/i);
  }));

test('an index over HTTPS is read with the trust of the host, and not without it', async () => {
  const { key, cert } = selfSigned();
  const server = createHttps({ key, cert }, (_request, response) => response.end(INDEX));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/index.yaml`;
  const policy = { requireSignature: false };
  const result = await ask(url, { policy, options: { fetch: fetchTrusting(cert) } });
  assert.ok(isRight(result));
  assert.match(await refusal(url, { policy }), /connection failed/);
  server.closeAllConnections();
  server.close();
});

test('plain HTTP needs the opt-in and a literal loopback address, and nothing is sent without it', async () => {
  let calls = 0;
  await withServer(
    (_request, response) => {
      calls += 1;
      response.end(INDEX);
    },
    async (origin) => {
      assert.match(await refusal(origin, { policy: { requireSignature: false } }), /not allowed for this library/);
      assert.match(await refusal(origin.replace('127.0.0.1', 'localhost')), /plain HTTP/);
      assert.is(calls, 0);
    },
  );
});

test('an address with credentials, a query or a fragment is refused before anything is sent [CATALOG-019]', async () => {
  let calls = 0;
  await withServer(
    (_request, response) => {
      calls += 1;
      response.end(INDEX);
    },
    async (origin) => {
      for (const url of [
        origin.replace('//', '//user:word@'),
        `${origin}/?a=1`,
        `${origin}/#a`,
        'file:///etc/passwd',
        'nothing',
      ])
        await refusal(url);
      assert.is(calls, 0);
    },
  );
});

test('a redirect is not followed and fails the refresh [CATALOG-021]', async () => {
  let followed = 0;
  await withServer(
    (request, response) => {
      if (request.url === '/moved') followed += 1;
      response.writeHead(request.url === '/moved' ? 200 : 302, { location: '/moved' });
      response.end(INDEX);
    },
    async (origin) => {
      assert.match(await refusal(`${origin}/index.yaml`), /redirect/);
      assert.is(followed, 0);
    },
  );
});

test('refusals for a status, a redirect, a broken index or a cut connection hold no address and no remote text [CATALOG-022]', async () => {
  const answers: RequestListener[] = [
    text(SECRET, 404),
    text(SECRET, 500),
    text(SECRET, 301, { location: `http://127.0.0.1/${SECRET}` }),
    text(`- ${SECRET}: x\n`),
    text(`${INDEX}  ${SECRET}: x\n`),
    text(INDEX.replace('linux', SECRET.toUpperCase())),
    text(INDEX, 200, { 'content-encoding': 'gzip' }),
    (_request, response) => void response.socket?.destroy(),
    (_request, response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write(SECRET, () => response.socket?.destroy());
    },
  ];
  for (const answer of answers)
    await withServer(answer, async (origin) => void (await refusal(`${origin}/index.yaml`)));
});

test('an index is cut off at 1 MiB while it is read, whatever length it declares [CATALOG-042]', async () => {
  let sent = 0;
  await withServer(
    (_request, response) => {
      const more = (): void => {
        if (response.destroyed || sent > 64 * 1_048_576) return;
        sent += 65_536;
        response.write(`${'#'.repeat(65_535)}\n`, more);
      };
      more();
    },
    async (origin) => {
      assert.match(await refusal(`${origin}/index.yaml`), /larger than 1 MiB/);
      assert.ok(sent < 16 * 1_048_576, `${sent} bytes were taken`);
    },
  );
});

test('the whole answer has 30 seconds, in which a slow server may still be sending [CATALOG-020]', async () => {
  const clock = handClock();
  let reached: (response: ServerResponse) => void = () => undefined;
  const arrived = new Promise<ServerResponse>((resolve) => {
    reached = resolve;
  });
  await withServer(
    (_request, response) => {
      response.write('# slow\n', () => reached(response));
    },
    async (origin) => {
      const running = refusal(`${origin}/index.yaml`, { options: { clock } });
      await arrived;
      let settled = false;
      void running.finally(() => {
        settled = true;
      });
      clock.advance(29_999);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.is(settled, false);
      clock.advance(1);
      assert.match(await running, /too long|not answer|stopped sending/);
    },
  );
});

test('a cancelled refresh ends at once and closes the connection', async () => {
  const stop = new AbortController();
  let closed: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  await withServer(
    (_request, response) => {
      response.on('close', closed);
      response.write('# slow\n', () => stop.abort());
    },
    async (origin) => {
      assert.match(await refusal(`${origin}/index.yaml`, { signal: stop.signal }), /cancelled/);
      await gone;
      assert.match(await refusal(`${origin}/index.yaml`, { signal: stop.signal }), /cancelled/);
    },
  );
});

test('a credential goes to its exact origin only and is read at each request [CATALOG-014] [CATALOG-015]', async () => {
  const seen: (string | undefined)[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.end(INDEX);
  };
  await withServer(listener, (first) =>
    withServer(listener, async (second) => {
      const environment: Record<string, string> = { WORD: 'token-of-the-operator' };
      const credentials = createCredentialResolver(
        [
          { reference: 'bearer', origin: first, kind: 'bearer', secret: { env: 'WORD' }, allowInsecure: true },
          { reference: 'basic', origin: first, kind: 'basic', secret: { value: 'user:word' }, allowInsecure: true },
        ],
        environment,
      );
      const options = { credentials };
      assert.ok(isRight(await ask(first, { authReference: 'bearer', options })));
      environment.WORD = 'changed';
      assert.ok(isRight(await ask(first, { authReference: 'bearer', options })));
      assert.ok(isRight(await ask(first, { authReference: 'basic', options })));
      assert.ok(isRight(await ask(first, { options })));
      assert.match(await refusal(second, { authReference: 'bearer', options }), /not set up for its address/);
      assert.match(await refusal(first, { authReference: 'unknown', options }), /not set up/);
      assert.match(await refusal(first, { authReference: 'bearer' }), /not set up/);
      delete environment.WORD;
      assert.match(await refusal(first, { authReference: 'bearer', options }), /could not be read/);
    }),
  );
  assert.equal(seen, [
    'Bearer token-of-the-operator',
    'Bearer changed',
    `Basic ${Buffer.from('user:word').toString('base64')}`,
    undefined,
  ]);
});

test('a credential is not sent over plain HTTP unless its binding allows it [CATALOG-018]', async () => {
  let calls = 0;
  await withServer(
    (_request, response) => {
      calls += 1;
      response.end(INDEX);
    },
    async (origin) => {
      const credentials = createCredentialResolver(
        [{ reference: 'a', origin, kind: 'bearer', secret: { value: 'token-of-the-operator' } }],
        {},
      );
      assert.match(await refusal(origin, { authReference: 'a', options: { credentials } }), /plain HTTP/);
      assert.is(calls, 0);
    },
  );
});

test('a resolver shows no secret when it is printed, and a release names no credential [CATALOG-016] [CATALOG-017]', () =>
  withServer(text(INDEX), async (origin) => {
    const credentials = createCredentialResolver(
      [{ reference: 'a', origin, kind: 'bearer', secret: { value: 'token-of-the-operator' }, allowInsecure: true }],
      {},
    );
    const result = await ask(origin, { authReference: 'a', options: { credentials } });
    assert.ok(isRight(result));
    assert.not.match(JSON.stringify([credentials, result.right]), /token-of-the-operator|authReference/);
  }));

test('entries of kinds this version does not read are counted in the log [BACKENDS-006]', () =>
  withServer(text(`${INDEX}- kind: model\n  what: ever\n`), async (origin) => {
    const log = memoryLog();
    assert.ok(isRight(await ask(origin, { options: { log } })));
    assert.equal(log.lines[0]?.fields, { sourceId: 'here', skipped: 1, skippedKinds: ['model'] });
  }));

test.run();
