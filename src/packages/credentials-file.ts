/** The operator's file of credentials: which secret goes to which library or registry (06:36-44, 143-145). */
import { type FileHandle, open } from 'node:fs/promises';
import { closed, type Either, isLeft, left, right, t } from '../contract/fp.js';
import { parseStrict } from '../contract/strict-json.js';
import { isLiteralLoopback } from './artifact-address.js';
import { type CredentialResolver, createCredentialResolver } from './credentials.js';
import { createRegistryCredentials, NO_REGISTRY_CREDENTIALS, type RegistryCredentials } from './oci/credentials.js';

export interface ConfiguredCredentials {
  readonly libraries: CredentialResolver;
  readonly registries: RegistryCredentials;
  /** The names a library may refer to. */
  readonly references: ReadonlySet<string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const NO_CREDENTIALS: ConfiguredCredentials = {
  libraries: createCredentialResolver([], {}),
  registries: NO_REGISTRY_CREDENTIALS,
  references: new Set(),
};

const MAX_FILE_BYTES = 1_048_576;
const MAX_ENTRIES = 256;

const text = (name: string, holds: (value: string) => boolean) =>
  new t.Type<string>(
    name,
    (input): input is string => typeof input === 'string' && holds(input),
    (input, context) => (typeof input === 'string' && holds(input) ? t.success(input) : t.failure(input, context)),
    (value) => value,
  );
/** Exactly what `URL.origin` writes, so that a comparison of texts is one of origins. */
const origin = text('origin', (value) => {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return url.origin === value && (url.protocol === 'https:' || isLiteralLoopback(url.hostname));
});
const name = text('name', (value) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(value));
const filled = text('text', (value) => value.length >= 1 && value.length <= 16_384);
const secret = t.union([
  closed('secret', { env: filled }),
  closed('secret', { file: filled }),
  closed('secret', { value: filled }),
]);
const kind = t.union([t.literal('bearer'), t.literal('basic')]);
const library = closed('library', { reference: name, origin, kind, secret }, { allowInsecure: t.boolean });
const registry = closed(
  'registry',
  { origin, kind, secret },
  { tokenOrigins: t.readonlyArray(origin), allowInsecure: t.boolean },
);
const file = closed('credentials', {}, { libraries: t.readonlyArray(library), registries: t.readonlyArray(registry) });

/**
 * Reads the file once, at the start; the secrets it refers to are read at each request. Left, in words that quote nothing of it:
 * it cannot be read, others may read it, it is not as `docs/operators.md` says, or two entries are for one address.
 */
export async function readCredentialsFile(
  path: string,
  environment: Environment,
): Promise<Either<string, ConfiguredCredentials>> {
  const problem = (why: string) => left(`The file of --credentials ${why}. Nothing was started.`);
  const bytes = await readPrivate(path);
  if (isLeft(bytes)) return problem(bytes.left);
  const parsed = parseStrict(bytes.right, { maxBytes: MAX_FILE_BYTES });
  if (isLeft(parsed)) return problem('is not valid JSON');
  const decoded = file.decode(parsed.right);
  if (isLeft(decoded)) return problem(`is not as it must be at ${placeOf(decoded.left)}`);
  const { libraries = [], registries = [] } = decoded.right;
  if (libraries.length + registries.length > MAX_ENTRIES) return problem(`has more than ${MAX_ENTRIES} entries`);
  const keys = [
    ...libraries.map((entry) => `${entry.reference} ${entry.origin}`),
    ...registries.map((entry) => entry.origin),
  ];
  if (new Set(keys).size !== keys.length) return problem('has two entries for one address');
  return right({
    libraries: createCredentialResolver(libraries, environment),
    registries: createRegistryCredentials(registries, environment),
    references: new Set(libraries.map(({ reference }) => reference)),
  });
}

async function readPrivate(path: string): Promise<Either<string, Uint8Array>> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) return left('is not a regular file');
    if ((stat.mode & 0o077) !== 0) return left('can be read by other users; give it mode 0600');
    if (stat.size > MAX_FILE_BYTES) return left('is larger than 1 MiB');
    return right(await handle.readFile());
  } catch {
    return left('cannot be read');
  } finally {
    await handle?.close();
  }
}

/** Field names and positions only; what stands there may be a secret. */
function placeOf(errors: t.Errors): string {
  const keys = errors[0]?.context.map(({ key }) => key).filter((key) => /^[A-Za-z0-9]{1,32}$/.test(key)) ?? [];
  return keys.length === 0 ? 'its top' : keys.join('.');
}
