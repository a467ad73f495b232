/** What each call of the wire does once it is admitted: read, preview, apply, receipt (wire.md, "Add-on process"). */
import { createHash } from 'node:crypto';
import type { Change } from './changes/change.js';
import { accept, busy, conflict, type Outcome, refuse, unfit } from './outcome.js';
import type { QueryPool } from './query/pool.js';
import { inspect, listRows, missing } from './reads/reads.js';
import type { OpenDatabase } from './store/database.js';
import type { Databases } from './store/databases.js';
import { findReceipt, type StoredReceipt, writeReceipt } from './store/receipts.js';
import { sqliteCode } from './store/sqlite.js';
import { decodeChange } from './tools.js';
import { databaseName } from './values/names.js';
import { ID } from './wire/envelope.js';
import { Fields } from './wire/fields.js';
import { canonical, type Json } from './wire/json.js';
import type { ContractRequest, Envelope, Limits, Preview, Receipt, Revision } from './wire/shapes.js';

export interface Service {
  readonly databases: Databases;
  readonly queries: QueryPool;
  readonly limits: Limits;
  readonly now: () => Date;
}

const FIRST_REVISION: Revision = { schema: 1, data: 0 };
const DISK_FULL_RETRY_S = 30;

/** What an operation id stands for. The credential is left out: the owner's recovery repeats a call under its own. */
function bindingOf({ request, authority }: Envelope, revision: Revision): string {
  const { addonId, resourceId = '', generation, action } = request;
  const { userId, mode } = authority.actor;
  const bound: Json = [userId, mode, addonId, resourceId, generation, action, request.arguments, { ...revision }];
  return createHash('sha256').update(canonical(bound)).digest('hex');
}

function resourceOf(request: ContractRequest): Outcome<string> {
  if (request.resourceId !== undefined && ID.test(request.resourceId)) return accept(request.resourceId);
  return unfit('no_resource', 'The call names no database.');
}

const toolOf = (request: ContractRequest): string =>
  typeof request.arguments.tool === 'string' ? request.arguments.tool : '';

/** Runs what leaves nothing behind when it fails; a full disk or a lock is then busy, and anything else a fault. */
function orBusy<A>(body: () => Outcome<A>): Outcome<A> {
  try {
    return body();
  } catch (fault) {
    const code = sqliteCode(fault) ?? '';
    if (code.startsWith('SQLITE_BUSY')) return busy(1, 'The database is busy. Nothing was changed; try again.');
    // The second is what opening a database says when there is no room for the file that its readers share.
    if (code.startsWith('SQLITE_FULL') || code === 'SQLITE_IOERR_SHMSIZE') {
      return busy(
        DISK_FULL_RETRY_S,
        'There is no room for this call: the disk or the database is full. Nothing was changed. Free some space, then try again.',
      );
    }
    throw fault;
  }
}

/** What a read answers, or where its query runs. */
type Looked = { readonly payload: Json } | { readonly queryIn: string };

function look(service: Service, request: ContractRequest): Outcome<Looked> {
  const resourceId = resourceOf(request);
  if (!resourceId.ok) return resourceId;
  const tool = toolOf(request);
  if (tool === 'resource-exists') {
    const payload = { exists: service.databases.exists(resourceId.value) };
    return new Fields(request.arguments, tool, ['tool']).finish({ payload });
  }
  const database = service.databases.use(resourceId.value);
  if (database === undefined) return missing();
  if (tool === 'query') return accept({ queryIn: service.databases.path(resourceId.value) });
  if (tool !== 'inspect' && tool !== 'list-rows') return unfit('unknown_tool', 'There is no such tool for reads.');
  const found = (tool === 'inspect' ? inspect : listRows)(database, request.arguments, service.limits);
  return found.ok ? accept({ payload: found.value }) : found;
}

/** `POST /read`: `inspect`, `list-rows`, `query` and `resource-exists`. Refuses other tools and unknown databases. */
export async function read(
  service: Service,
  { request }: Envelope,
  signal: AbortSignal,
): Promise<Outcome<{ readonly payload: Json }>> {
  if (request.action !== 'read') return unfit('wrong_action', 'This call only reads.');
  const looked = orBusy(() => look(service, request));
  if (!looked.ok || 'payload' in looked.value) return looked as Outcome<{ readonly payload: Json }>;
  const found = await service.queries.run(looked.value.queryIn, request.arguments, signal);
  return found.ok ? accept({ payload: found.value }) : found;
}

function decodeCreation(request: ContractRequest): Outcome<string> {
  const read = new Fields(request.arguments, 'create-database', ['tool', 'name']);
  if (toolOf(request) !== 'create-database') return unfit('unknown_tool', 'There is no such tool for creations.');
  const name = read.finish(read.text('name', 256));
  return name.ok ? databaseName(name.value) : name;
}

/** `POST /preview`: what a change would do to the database as it is now. Writes nothing. */
export const preview = (service: Service, { request }: Envelope): Outcome<Preview> =>
  orBusy(() => previewOf(service, request));

function previewOf(service: Service, request: ContractRequest): Outcome<Preview> {
  const resourceId = resourceOf(request);
  if (!resourceId.ok) return resourceId;
  const expiresAt = new Date(service.now().getTime() + service.limits.proposalExpiryMs).toISOString();
  const answer = (revision: Revision, count: number, sample: readonly Json[]) =>
    accept({ operationId: request.operationId, revision, expiresAt, summary: { count, sample } });
  if (request.action === 'create') {
    const name = decodeCreation(request);
    return name.ok ? answer(FIRST_REVISION, 1, [{ name: name.value }]) : name;
  }
  const change = decodeChange(request.action, request.arguments, service.limits);
  if (!change.ok) return change;
  const database = service.databases.use(resourceId.value);
  if (database === undefined) return missing();
  const planned = change.value.plan(database);
  if (!planned.ok) return planned;
  return answer(database.revision, planned.value.count, planned.value.sample());
}

const stale = (operationId: string, revision: Revision): Receipt => ({
  operationId,
  state: 'rejected',
  revision,
  result: {
    payload: { error: 'stale', message: 'The database was changed since this was prepared. Nothing was changed now.' },
  },
});

const sameRevision = (one: Revision, other: Revision) => one.schema === other.schema && one.data === other.data;

/** Runs inside the transaction: decides, writes the data and the receipt, and answers the receipt or the refusal. */
function decide(
  database: OpenDatabase,
  change: Change,
  expected: Revision,
  operationId: string,
  binding: string,
  now: Date,
): Outcome<Receipt> {
  const current = database.revision;
  if (!sameRevision(current, expected)) {
    const receipt = stale(operationId, current);
    writeReceipt(database.connection, { receipt, binding }, now);
    return accept(receipt);
  }
  const planned = change.plan(database);
  if (!planned.ok) return planned;
  const payload = planned.value.run();
  const revision = {
    schema: current.schema + (change.kind === 'schema' ? 1 : 0),
    data: current.data + (change.touchesRows ? 1 : 0),
  };
  database.revision = revision;
  const receipt: Receipt = { operationId, state: 'committed', revision, result: { payload } };
  writeReceipt(database.connection, { receipt, binding }, now);
  return accept(receipt);
}

/** One write transaction. A refusal rolls back; a full disk or a lock is busy, since nothing of it stays. */
const transact = <A>({ connection }: OpenDatabase, body: () => Outcome<A>): Outcome<A> =>
  orBusy(() => {
    try {
      connection.exec('BEGIN IMMEDIATE');
      const outcome = body();
      connection.exec(outcome.ok ? 'COMMIT' : 'ROLLBACK');
      return outcome;
    } catch (fault) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw fault;
    }
  });

/** Notes where the receipt of an operation will stand; busy when there is no room even for that. */
const noted = (service: Service, operationId: string, resourceId: string): Outcome<null> =>
  orBusy(() => {
    service.databases.registry.note(operationId, resourceId, service.now());
    return accept(null);
  });

function answerRepeat(known: StoredReceipt, binding: string): Outcome<Receipt> {
  if (known.binding === binding) return accept(known.receipt);
  return conflict('operation_conflict', 'This operation id was already used for something else. Nothing was changed.');
}

function applyCreation(
  service: Service,
  request: ContractRequest,
  resourceId: string,
  binding: string,
): Outcome<Receipt> {
  const name = decodeCreation(request);
  if (!name.ok) return name;
  if (service.databases.exists(resourceId) || service.databases.registry.isDeleted(resourceId)) {
    return conflict('operation_conflict', 'The database was already created by another operation.');
  }
  const now = service.now();
  const receipt: Receipt = {
    operationId: request.operationId,
    state: 'committed',
    revision: FIRST_REVISION,
    result: { payload: { name: name.value } },
  };
  const note = noted(service, request.operationId, resourceId);
  if (!note.ok) return note;
  // The database appears by its rename, after the last write that a full disk can refuse.
  return orBusy(() => {
    service.databases.create(resourceId, name.value, { receipt, binding }, now);
    return accept(receipt);
  });
}

function applyDeletion(
  service: Service,
  request: ContractRequest,
  resourceId: string,
  expected: Revision,
  binding: string,
): Outcome<Receipt> {
  const decoded = new Fields(request.arguments, 'delete-database', ['tool']).finish(null);
  if (!decoded.ok) return decoded;
  const database = service.databases.use(resourceId);
  if (database === undefined) return missing();
  const { operationId } = request;
  const revision = database.revision;
  if (!sameRevision(revision, expected)) {
    const note = noted(service, operationId, resourceId);
    if (!note.ok) return note;
    return transact(database, () => {
      const receipt = stale(operationId, revision);
      writeReceipt(database.connection, { receipt, binding }, service.now());
      return accept(receipt);
    });
  }
  const receipt: Receipt = { operationId, state: 'committed', revision, result: { payload: { deleted: true } } };
  return orBusy(() => {
    service.databases.delete(resourceId, { receipt, binding }, service.now());
    return accept(receipt);
  });
}

/**
 * `POST /apply`: the change and its receipt in one transaction, checked there against the revision the caller saw. A
 * stale revision gives a `rejected` receipt; a repeat gives the first receipt; another binding is a 409 (05:301-304).
 */
export const apply = (service: Service, envelope: Envelope, expected: Revision): Outcome<Receipt> =>
  orBusy(() => applied(service, envelope, expected));

function applied(service: Service, envelope: Envelope, expected: Revision): Outcome<Receipt> {
  const { request } = envelope;
  const { operationId, action } = request;
  const resourceId = resourceOf(request);
  if (!resourceId.ok) return resourceId;
  const binding = bindingOf(envelope, expected);
  const known = service.databases.receipt(operationId);
  if (known !== undefined) return answerRepeat(known, binding);
  if (action === 'create') return applyCreation(service, request, resourceId.value, binding);
  if (toolOf(request) === 'delete-database') {
    if (action !== 'delete') return unfit('wrong_action', 'A database is deleted by its owner only.');
    return applyDeletion(service, request, resourceId.value, expected, binding);
  }
  const change = decodeChange(action, request.arguments, service.limits);
  if (!change.ok) return change;
  const database = service.databases.use(resourceId.value);
  if (database === undefined) return missing();
  const note = noted(service, operationId, resourceId.value);
  if (!note.ok) return note;
  const now = service.now();
  const outcome = transact(database, () => {
    const repeated = findReceipt(database.connection, operationId);
    if (repeated !== undefined) return answerRepeat(repeated, binding);
    return decide(database, change.value, expected, operationId, binding, now);
  });
  if (!outcome.ok) service.databases.registry.forget(operationId);
  return outcome;
}

/** `POST /receipt`: what became of an operation, wherever its receipt stands. Refuses when there is none. */
export const receipt = (service: Service, operationId: string): Outcome<Receipt> =>
  orBusy(() => {
    const found = service.databases.receipt(operationId)?.receipt;
    if (found !== undefined) return accept(found);
    return refuse({ status: 404, code: 'no_receipt', message: 'There is no receipt for this operation.' });
  });
