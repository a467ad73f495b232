/** What an administrator does with the sources of all kinds over their own routes (04:163-198; wire, "Sources"). */
import type { ServerSettings, SourceList, SourceView } from '../../contract/api.js';
import { type Either, isLeft, right } from '../../contract/fp.js';
import type { Refusal } from '../../contract/refusal.js';
import type { SettingsChange, SourceRequest } from '../../contract/requests.js';
import type { Caller } from '../gateway.js';
import type { Library } from './index.js';
import { isRead } from './releases.js';

type Answer<A> = Promise<Either<Refusal, A>>;

export interface AdministrationParts {
  readonly library: Library;
  /** Refuses everyone but an administrator, decided anew at every call. */
  readonly admit: (caller: Caller) => Promise<Either<Refusal, void>>;
  readonly changed: () => void;
  readonly stopping: AbortSignal;
}

export class LibraryAdministration {
  constructor(private readonly parts: AdministrationParts) {}

  /** Every source, tombstones included, in the order of their ids. */
  async sources(caller: Caller): Answer<SourceList> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const { library } = this.parts;
    return right({ sources: library.list(), officialLibraries: library.sources.officialOn() });
  }

  /**
   * Adds a source and begins to read it; the answer does not wait for that. Refuses 400 for an address that may not be, 409 for
   * the same kind and address twice or a taken id.
   */
  async add(caller: Caller, { kind, url, id, name, format = 'library' }: SourceRequest): Answer<SourceView> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const { library } = this.parts;
    const host = URL.canParse(url) ? new URL(url).host : '';
    const taken = new Set(library.sources.known().map((source) => source.id));
    const settings = { name: name ?? (host || 'Library'), url, format, policy: { requireSignature: false } };
    const source = { kind, id: id ?? freeId(host, taken), settings, enabled: true };
    return this.read(await library.add(source, caller.actor));
  }

  /** Turns a source on, a removed default included, or off. 404 for an unknown one. */
  async switch(caller: Caller, id: string, to: 'enable' | 'disable'): Answer<SourceView> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const { library } = this.parts;
    return to === 'enable' ? this.read(await library.enable(id, caller.actor)) : library.disable(id, caller.actor);
  }

  /** Deletes a source that was added; a default leaves a tombstone. Installed add-ons stay. */
  async remove(caller: Caller, id: string): Answer<void> {
    const allowed = await this.parts.admit(caller);
    return isLeft(allowed) ? allowed : this.parts.library.remove(id, caller.actor);
  }

  async settings(caller: Caller): Answer<ServerSettings> {
    const allowed = await this.parts.admit(caller);
    return isLeft(allowed) ? allowed : right({ official_libraries: this.parts.library.sources.officialOn() });
  }

  /** Takes effect at once; what was read of the defaults before they were turned off counts again when they are on. */
  async change(caller: Caller, { official_libraries: on }: SettingsChange): Answer<ServerSettings> {
    const allowed = await this.parts.admit(caller);
    if (isLeft(allowed)) return allowed;
    const { library, stopping, changed } = this.parts;
    const { sources } = library;
    if (on !== undefined) {
      const done = await sources.apply(sources.switchOfficial(on), caller.actor);
      if (isLeft(done)) return done;
      // What was off since the start was never read.
      if (on) void library.refreshAll(stopping, changed, ({ builtin }) => builtin);
    }
    return right({ official_libraries: sources.officialOn() });
  }

  /** Begins to read a source that was just turned on; open pages hear of the end, and a failure is in its refresh state. */
  private read(done: Either<Refusal, SourceView>): Either<Refusal, SourceView> {
    if (isLeft(done)) return done;
    const { library, stopping, changed } = this.parts;
    // A refresh answers with a value, whatever happens.
    if (done.right.enabled && isRead(done.right)) void library.refresh(done.right.id, stopping).then(changed);
    return done;
  }
}

/** An id made from a host name, `lib-` before one that begins with a digit; numbered while it is taken. */
function freeId(host: string, taken: ReadonlySet<string>): string {
  const plain = host
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  const base = /^[a-z]/.test(plain) ? plain : `lib${plain === '' ? '' : `-${plain}`}`;
  for (let number = 2, id = base; ; id = `${base}-${number}`, number += 1) if (!taken.has(id)) return id;
}
