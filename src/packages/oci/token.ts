/** The answer to a registry's challenge: which `Authorization` header its next request carries (06:143-149, 190-195). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json } from '../../contract/json.js';
import { parseStrict } from '../../contract/strict-json.js';
import { answerProblem, type Fetch, type GetOptions, httpSend, readBody } from '../http-get.js';
import { namedByRegistry, type RegistryAddress, sameDomain } from './address.js';
import { type Challenge, parseChallenges } from './challenge.js';
import type { RegistryCredential } from './credentials.js';

const MAX_TOKEN_ANSWER_BYTES = 65_536;
const MAX_TOKEN = 16_384;

export interface TokenRequest {
  readonly address: RegistryAddress;
  readonly credential: RegistryCredential | undefined;
  readonly http: GetOptions & { readonly fetch: Fetch };
  /** What the token is for; only a publisher asks for more than to pull. */
  readonly actions?: 'pull' | 'pull,push';
}

/** Left: why the registry cannot be answered, in words without an address, a secret or anything it said. */
export async function answerChallenge(header: string | null, request: TokenRequest): Promise<Either<string, string>> {
  const { credential, address } = request;
  const registry = new URL(address.origin);
  const challenges = parseChallenges(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer !== undefined)
    return credential?.kind === 'bearer' ? credential.authorization(registry) : askToken(bearer, request);
  if (!challenges.some(({ scheme }) => scheme === 'basic'))
    return left('its registry asks for a kind of credential that this server does not know');
  if (credential === undefined) return left('its registry asks for a credential, and none is set up for it');
  if (credential.kind !== 'basic') return left('its registry asks for another kind of credential than is set up');
  return credential.authorization(registry);
}

/** Asks for a token for the one repository, whatever scope the challenge names. */
async function askToken(
  { parameters }: Challenge,
  { address, credential, http, actions = 'pull' }: TokenRequest,
): Promise<Either<string, string>> {
  const registry = new URL(address.origin);
  const realm = namedByRegistry(parameters.get('realm') ?? '', registry, address.allowLoopbackHTTP);
  if (realm === undefined) return left('its registry names no place for tokens that may be used');
  if (credential === undefined && !sameDomain(registry, realm))
    return left('its registry asks for a token from another domain');
  if (credential !== undefined && !credential.tokenOrigins.includes(realm.origin))
    return left(
      'its registry asks for a token at an address that its credential may not be sent to; allow it in tokenOrigins if it is right',
    );
  const authorization = await credential?.authorization(realm);
  if (authorization !== undefined && isLeft(authorization)) return authorization;
  const service = parameters.get('service');
  if (service !== undefined && service.length <= 256) realm.searchParams.set('service', service);
  realm.searchParams.set('scope', `repository:${address.repository}:${actions}`);
  const sent = await httpSend(realm, {
    ...http,
    accept: 'application/json',
    ...(authorization === undefined ? {} : { authorization: authorization.right }),
  });
  if (isLeft(sent)) return left(`a token for its registry could not be had: ${sent.left}`);
  const problem = answerProblem(sent.right);
  if (problem !== undefined) {
    sent.right.close();
    return left(`a token for its registry could not be had: ${problem}`);
  }
  const bytes = await readBody(sent.right, MAX_TOKEN_ANSWER_BYTES, 'the answer is too large');
  if (isLeft(bytes)) return left(`a token for its registry could not be had: ${bytes.left}`);
  const token = tokenIn(bytes.right);
  return token === undefined ? left('the token for its registry is not one') : right(`Bearer ${token}`);
}

function tokenIn(bytes: Uint8Array): string | undefined {
  const parsed = parseStrict(bytes, { maxBytes: MAX_TOKEN_ANSWER_BYTES });
  if (isLeft(parsed) || typeof parsed.right !== 'object' || parsed.right === null) return undefined;
  const { token, access_token } = parsed.right as { readonly [key: string]: Json };
  const value = token ?? access_token;
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) && value.length <= MAX_TOKEN ? value : undefined;
}
