/** `castellan journal ...`: reads the journal beside a running server, or without one (wire, "Command line"). */
import { writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isLeft } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import type { JournalRecord } from '../events/event.js';
import { holdOf } from './journal-control.js';
import { dataPathOption } from './options.js';

interface Options {
  readonly dataPath: string;
  readonly json?: boolean;
}

const root = (options: Options) => join(resolve(options.dataPath), 'addons');
const journal = (options: Options) => join(root(options), 'journal');
const holding = (options: Options) => holdOf(join(root(options), 'runtime'));
const common = (command: Command) => command.addOption(dataPathOption());

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** One event on one line: where, when, what, in which stream, by whom. */
function line(record: JournalRecord): string {
  const who = record.actor === undefined ? 'owner' : record.actor.userId;
  return `${String(record.position).padStart(6)}  ${record.at}  ${record.type.padEnd(22)}  ${record.stream}  ${who}`;
}

async function tail(options: Options & { readonly number: number }): Promise<void> {
  const { tailRecords } = await import('../events/inspect/read.js');
  const records = await tailRecords(journal(options), options.number, holding(options));
  if (isLeft(records)) return fail(records.left.message);
  for (const record of records.right) console.log(options.json ? JSON.stringify(record) : line(record));
}

async function show(what: string, options: Options): Promise<void> {
  const { showRecords } = await import('../events/inspect/read.js');
  const which = /^[1-9][0-9]*$/.test(what)
    ? { position: Number(what) }
    : what.includes('-') || what === 'owner'
      ? { stream: what }
      : { operationId: what };
  let records = await showRecords(journal(options), which, holding(options));
  if (!isLeft(records) && records.right.length === 0)
    records = await showRecords(journal(options), { operationId: what }, holding(options));
  if (isLeft(records)) return fail(records.left.message);
  if (records.right.length === 0) return fail(`There is no event, stream or operation ${what}.`);
  for (const record of records.right) console.log(JSON.stringify(record, undefined, options.json ? undefined : 2));
}

async function verify(options: Options): Promise<void> {
  const { verificationLine, verifyJournal } = await import('../events/inspect/verify.js');
  const result = await verifyJournal(journal(options), { hold: holding(options) });
  console.log(options.json ? JSON.stringify(result) : verificationLine(result));
  if (!result.ok) process.exitCode = 1;
}

/** Takes the owner lock: a running owner must not have its anchor changed under it. */
async function salvage(options: Options): Promise<void> {
  const [{ salvageJournal }, { verificationLine }, { openOwnerRoot }, { OWNER }] = await Promise.all([
    import('../events/inspect/salvage.js'),
    import('../events/inspect/verify.js'),
    import('../process/owner-root.js'),
    import('./owner.js'),
  ]);
  const owned = openOwnerRoot({ dataPath: options.dataPath, ...OWNER });
  if (isLeft(owned)) return fail(owned.left.message);
  try {
    const { anchored, lost, verification } = await salvageJournal(journal(options));
    if (options.json) console.log(JSON.stringify({ anchored, lost, verification }));
    else console.log(verificationLine(verification));
    if (!anchored) return fail('Nothing was changed: only a journal that is intact in itself can be gone on with.');
    if (!options.json) console.log(lost === undefined ? 'anchored' : `anchored; ${lost} events are lost`);
  } finally {
    owned.right.release();
  }
}

/** Compares snapshot plus tail with the full fold, and with the live state when a server runs. */
async function replay(options: Options): Promise<void> {
  const [{ replayJournal }, { OwnerState }, { KINDS }, { SNAPSHOT_FORMAT }, { askServer }] = await Promise.all([
    import('../events/inspect/replay.js'),
    import('../projections/owner-state.js'),
    import('../projections/kinds.js'),
    import('../commands/store.js'),
    import('./control/client.js'),
  ]);
  const live = await askServer(join(root(options), 'runtime'), 'journal.state', {});
  const newState = () => new OwnerState(KINDS);
  const report = await replayJournal(journal(options), newState, SNAPSHOT_FORMAT, { hold: holding(options) });
  if (isLeft(report)) return fail(report.left.message);
  const { head, stateDigest, snapshot } = report.right;
  const said = live === undefined || isLeft(live) ? undefined : (live.right as JsonObject);
  const liveEqual =
    said === undefined || said.position !== head.position ? undefined : said.stateDigest === stateDigest;
  const result = {
    position: head.position,
    stateDigest,
    snapshot: snapshot === undefined ? 'none' : snapshot.equal ? 'equal' : 'different',
    live:
      said === undefined
        ? live === undefined
          ? 'no server'
          : 'not answered'
        : liveEqual === undefined
          ? 'moved on meanwhile'
          : liveEqual
            ? 'equal'
            : 'different',
  };
  console.log(
    options.json
      ? JSON.stringify(result)
      : `replayed ${result.position} events, state ${stateDigest}\nsnapshot and tail: ${result.snapshot}\nlive state: ${result.live}`,
  );
  if (snapshot?.equal === false || liveEqual === false) process.exitCode = 1;
}

async function exportAll(options: Options & { readonly from: number; readonly to?: number }): Promise<void> {
  const { exportNdjson } = await import('../events/inspect/read.js');
  const range = { from: options.from, ...(options.to === undefined ? {} : { to: options.to }) };
  const lines = await exportNdjson(journal(options), writeAll, range, holding(options));
  if (isLeft(lines)) fail(lines.left.message);
}

function writeAll(chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) {
    try {
      at += writeSync(1, chunk, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

export function addJournalCommands(program: Command): void {
  const command = program.command('journal').description('read, verify, replay and export the journal');
  common(command.command('tail').description('the last events'))
    .option('-n, --number <count>', 'how many', wholeNumber, 20)
    .option('--json', 'print JSON, one a line')
    .action(tail);
  common(command.command('show <what>').description('one event by position, or those of a stream or operation'))
    .option('--json', 'print JSON, one a line')
    .action(show);
  common(command.command('verify').description('recompute the whole chain in a process of its own'))
    .option('--json', 'print JSON')
    .action(verify);
  common(command.command('replay').description('compare the snapshot, the full replay and the live state'))
    .option('--json', 'print JSON')
    .action(replay);
  common(
    command.command('salvage').description('go on with an intact journal that lost its end; what is lost stays lost'),
  )
    .option('--json', 'print JSON')
    .action(salvage);
  common(command.command('export').description('write the events as they were stored'))
    .addOption(new Option('--format <format>', 'how it is written').choices(['ndjson']).default('ndjson'))
    .option('--from <position>', 'first position', wholeNumber, 1)
    .option('--to <position>', 'last position', wholeNumber)
    .action(exportAll);
}
