/** Which binding of a person a call to an add-on with credentials may use (02:358-396). Pure. */
import { foldCase } from './case-fold.js';
import { type Either, left, right } from './fp.js';
import type { JsonObject } from './json.js';
import type { Manifest } from './manifest-types.js';
import { type Refusal, refuse } from './refusal.js';
import { isObject } from './shape.js';

/** A name a person lets an add-on reach, as they wrote it, and the host's id of it. */
export interface BoundResource {
  readonly name: string;
  readonly id: string;
}

/** What one binding of a person gives a call. */
export interface CredentialBinding {
  readonly secret: string;
  readonly resources: readonly BoundResource[];
}

export interface AllowedResource {
  readonly secret: string;
  readonly resource?: BoundResource;
}

/** The arguments that carry a name to check; undefined when the add-on asks for no credentials. */
function checkedArguments(manifest: Manifest): readonly string[] | undefined {
  const { capabilities } = manifest.raw;
  const declared = isObject(capabilities) ? capabilities.credentials : undefined;
  if (!Array.isArray(declared) || declared.length === 0) return undefined;
  return declared.flatMap((entry) =>
    isObject(entry) && typeof entry.resourceArgument === 'string' ? [entry.resourceArgument] : [],
  );
}

/**
 * Right: undefined for an add-on without credentials, else the binding that the call uses, the first of those that list
 * the name. Names are compared without case. Refuses `no_credential` for a person without a binding and
 * `resource_not_allowed`, with the names that are, for a name on no list.
 */
export function credentialFor(
  manifest: Manifest,
  args: JsonObject,
  bindings: readonly CredentialBinding[],
): Either<Refusal, AllowedResource | undefined> {
  const names = checkedArguments(manifest);
  if (names === undefined) return right(undefined);
  const [first] = bindings;
  if (first === undefined)
    return left(
      refuse(
        'no_credential',
        'The add-on needs a credential of yours, and you have bound none to it. Nothing was sent.',
      ),
    );
  const given = names.flatMap((name) => (Object.hasOwn(args, name) ? [args[name]] : []));
  if (given.length === 0) return right({ secret: first.secret });
  const wanted = given.map((name) => (typeof name === 'string' ? foldCase(name) : undefined));
  for (const { secret, resources } of bindings) {
    const found = wanted.map((name) => resources.find((listed) => foldCase(listed.name) === name));
    const [resource] = found;
    if (resource !== undefined && found.every((each) => each !== undefined)) return right({ secret, resource });
  }
  const allowed = [...new Set(bindings.flatMap(({ resources }) => resources.map(({ name }) => name)))];
  return left(
    refuse('resource_not_allowed', 'The name is on no list of what this add-on may reach for you. Nothing was sent.', {
      allowed,
    }),
  );
}
