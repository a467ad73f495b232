/** Hands out pull tokens that a real registry takes, on loopback; asks for a credential where one is set. */
import { sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from './certificate.js';
import { tempDir } from './temp-dir.js';

export interface TokenRequestSeen {
  readonly url: URL;
  readonly authorization: string | undefined;
}

export interface TokenServer {
  readonly realm: string;
  readonly service: string;
  readonly issuer: string;
  readonly cert: string;
  readonly seen: TokenRequestSeen[];
  /** A token for pushing, made without a request. */
  pushToken(repository: string): string;
  close(): Promise<void>;
}

/** `basic` is the `user:password` it asks for; without it anyone may have a token to pull. */
export async function startTokenServer(basic?: string, lifeSeconds = 300): Promise<TokenServer> {
  const { key, cert } = selfSigned();
  const path = join(tempDir('token'), 'cert.pem');
  writeFileSync(path, cert);
  const x5c = [cert.replace(/-----[A-Z ]+-----|\n/g, '')];
  const [service, issuer] = ['test-registry', 'test-issuer'];
  const token = (repository: string, actions: readonly string[]) => {
    const now = Math.floor(Date.now() / 1000);
    const access = [{ type: 'repository', name: repository, actions }];
    const claims = {
      iss: issuer,
      sub: 'test',
      aud: service,
      exp: now + lifeSeconds,
      nbf: now - 10,
      iat: now,
      jti: '1',
      access,
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ typ: 'JWT', alg: 'ES256', x5c })}.${part(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const seen: TokenRequestSeen[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { authorization } = request.headers;
    seen.push({ url, authorization });
    const wanted = basic === undefined ? undefined : `Basic ${Buffer.from(basic).toString('base64')}`;
    if (authorization !== wanted) return response.writeHead(401).end();
    const [, repository = '', actions = ''] = (url.searchParams.get('scope') ?? '').split(':');
    return response.end(JSON.stringify({ token: token(repository, actions.split(',')) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  return {
    realm,
    service,
    issuer,
    cert: path,
    seen,
    pushToken: (repository) => token(repository, ['pull', 'push']),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
