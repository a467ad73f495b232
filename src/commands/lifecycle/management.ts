/** The management actions of `dispatch`: the catalog, the libraries and the installed view (12:351-402). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import type { Caller } from '../gateway.js';
import { decodeArguments, type ManagementAction } from '../library/arguments.js';
import { isRead } from '../library/releases.js';
import type { OperationDesk } from './desk.js';
import { OPERATION_ID } from './ids.js';
import { installedView } from './installed-view.js';
import { LibraryWrites } from './library-writes.js';
import { StorageSizes } from './storage-size.js';
import type { LifecycleParts } from './use-case.js';

const SEARCH_LIMIT = 50;
const MOST_RESULTS = 100;

export interface ManagementRequest {
  /** Named by `catalog-details` only. */
  readonly addonId: string;
  readonly operationId: string;
  readonly args: JsonObject;
}

/** All of them; `operation-status` is answered by the lifecycle itself. The caller was checked already. */
export class Management {
  private readonly writes: LibraryWrites;
  private readonly sizes: StorageSizes;

  constructor(
    private readonly parts: LifecycleParts,
    desk: OperationDesk,
  ) {
    this.writes = new LibraryWrites(parts, desk);
    this.sizes = new StorageSizes(parts.context.clock);
  }

  /** Reads change nothing; the two writes are bound to their operation id. Strict arguments: an unknown field is 403. */
  async run(
    caller: Caller,
    action: Exclude<ManagementAction, 'operation-status'>,
    given: ManagementRequest,
  ): Promise<Either<Refusal, Json>> {
    switch (action) {
      case 'catalog-sources': {
        const none = decodeArguments(action, given.args);
        // What the catalog reads: no tombstones, no galleries, no models; those are at the source routes.
        const sources = this.parts.library.list().filter((source) => !source.removed && isRead(source));
        return isLeft(none) ? none : right({ sources } as unknown as Json);
      }
      case 'addons-installed': {
        const none = decodeArguments(action, given.args);
        return isLeft(none) ? none : right(await installedView(this.parts.context, this.parts.sync, this.sizes));
      }
      case 'catalog-search':
        return this.search(given.args);
      case 'catalog-details':
        return this.details(given.addonId, given.args);
      case 'catalog-source-save':
      case 'catalog-source-refresh':
        return this.write(caller, action, given);
      default: {
        const never: never = action;
        return never;
      }
    }
  }

  private search(given: JsonObject): Either<Refusal, Json> {
    const args = decodeArguments('catalog-search', given);
    if (isLeft(args)) return args;
    const { text = '', kind = 'addon', sourceId = '', offset = 0, limit = SEARCH_LIMIT } = args.right;
    if (limit < 1 || limit > MOST_RESULTS)
      return left(refuse('invalid_request', `The limit is from 1 to ${MOST_RESULTS}.`));
    const from = sourceId === '' ? {} : { sourceId };
    return right(this.parts.library.search({ text, kind, offset, limit, ...from }) as unknown as Json);
  }

  private details(addonId: string, given: JsonObject): Either<Refusal, Json> {
    const args = decodeArguments('catalog-details', given);
    if (isLeft(args)) return args;
    const release = this.parts.library.details(args.right.sourceId, addonId, args.right.version);
    if (isLeft(release)) return release;
    const found = findInstalled(this.parts.context.store.visible, addonId);
    const installed =
      found === undefined ? null : { version: found.version, generation: found.generation, enabled: found.enabled };
    return right({ release: release.right, installed } as unknown as Json);
  }

  private async write(
    caller: Caller,
    action: 'catalog-source-save' | 'catalog-source-refresh',
    given: { operationId: string; args: JsonObject },
  ): Promise<Either<Refusal, Json>> {
    if (!OPERATION_ID.test(given.operationId ?? ''))
      return left(refuse('invalid_request', 'The operation id is malformed. Nothing changed.'));
    if (action === 'catalog-source-refresh') {
      const args = decodeArguments(action, given.args);
      return isLeft(args) ? args : this.writes.refresh(caller, given.operationId, args.right.sourceId);
    }
    const args = decodeArguments(action, given.args);
    return isLeft(args) ? args : this.writes.save(caller, given.operationId, args.right);
  }
}
