/** What `castellan library ...` asks of the owner, over the control socket or directly. */

import type { NewSource } from '../commands/library/index.js';
import type { Lifecycle } from '../commands/lifecycle/index.js';
import { closed, type Either, explain, isLeft, left, right, t } from '../contract/fp.js';
import type { Json, JsonObject } from '../contract/json.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { ControlCommands } from './control/protocol.js';

const REFRESH_MS = 30_000;

const policy = closed(
  'policy',
  { requireSignature: t.boolean },
  { issuer: t.string, identity: t.string, identityRegex: t.string, allowLoopbackHTTP: t.boolean },
);
const newSource = closed(
  'library',
  {
    id: t.string,
    url: t.string,
    name: t.string,
    policy,
    kind: t.keyof({ addon: null, backend: null, model: null }),
    format: t.keyof({ library: null, gallery: null }),
  },
  { authReference: t.string },
);
const named = closed('library', { id: t.string });

function decode<A>(codec: t.Type<A>, args: JsonObject): Either<Refusal, A> {
  const decoded = codec.decode(args);
  return isLeft(decoded) ? left(refuse('invalid_request', explain(decoded.left))) : decoded;
}

const asJson = <A>(result: Either<Refusal, A>): Either<Refusal, Json> =>
  isLeft(result) ? result : right((result.right ?? null) as unknown as Json);

export function libraryControl({ library }: Lifecycle): ControlCommands {
  const byId = (act: (id: string) => Promise<Either<Refusal, unknown>>) => async (args: JsonObject) => {
    const given = decode(named, args);
    return isLeft(given) ? given : asJson(await act(given.right.id));
  };
  return {
    'library.list': async () => right({ sources: library.list() } as unknown as Json),
    'library.add': async (args) => {
      const given = decode(newSource, args);
      if (isLeft(given)) return given;
      const { id, kind, ...settings } = given.right;
      const source: NewSource = { id, kind, settings, enabled: true };
      const added = await library.add(source);
      if (isLeft(added)) return added;
      // Read at once, so that searching finds what it lists; a library that cannot be read is added all the same.
      await library.refresh(id, AbortSignal.timeout(REFRESH_MS));
      return asJson(right(library.find(id)));
    },
    'library.refresh': byId((id) => library.refresh(id, AbortSignal.timeout(REFRESH_MS))),
    'library.enable': byId((id) => library.enable(id)),
    'library.disable': byId((id) => library.disable(id)),
    'library.remove': byId((id) => library.remove(id)),
  };
}
