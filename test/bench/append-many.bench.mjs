/** 64 writers, durable appends: against a plain file with the same queue, and SQLite with a transaction each. */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { openLmdbJournal } from '../../dist/modules/events/lmdb/open.js';
import { ACTOR, AT, atLeast, catalogue, median, payload, ratio, rawRecord, withDirectory } from './support.mjs';

const WRITERS = 64;
const MILLISECONDS = 1_200;
const ROUNDS = 5;

async function writers(append) {
  let count = 0;
  const started = performance.now();
  const end = started + MILLISECONDS;
  const writer = async (id) => {
    for (let revision = 0; performance.now() < end; revision += 1) {
      await append(id, revision);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)));
  return (count * 1000) / (performance.now() - started);
}

const journal = () =>
  withDirectory(async (directory) => {
    const opened = await openLmdbJournal(join(directory, 'journal'), { catalogue });
    const journal = opened.right;
    let n = 0;
    const rate = await writers(async (id, revision) => {
      n += 1;
      const appended = journal.append({
        writes: [
          {
            stream: `proposal-${id}`,
            expectedRevision: revision,
            events: [{ type: 'ChangeProposed', payload: payload(n) }],
          },
        ],
        meta: { at: AT, actor: ACTOR, operationId: `operation-${n}` },
      });
      const durable = await appended.right.durable;
      if (durable._tag !== 'Right') throw new Error(durable.left.reason);
    });
    await journal.close();
    return rate;
  });

const plainFile = () =>
  withDirectory(async (directory) => {
    const file = openSync(join(directory, 'log'), 'a');
    let waiting = [];
    let n = 0;
    let prev = '0'.repeat(64);
    const flush = () => {
      const batch = waiting;
      waiting = [];
      writevSync(
        file,
        batch.map(({ bytes }) => bytes),
      );
      fdatasyncSync(file);
      for (const { resolve } of batch) resolve();
    };
    const rate = await writers((id, revision) => {
      n += 1;
      const record = rawRecord(n, `proposal-${id}`, revision + 1, randomUUID(), prev);
      prev = record.hash;
      if (waiting.length === 0) setImmediate(flush);
      return new Promise((resolve) => waiting.push({ bytes: Buffer.from(`${record.text}\n`), resolve }));
    });
    closeSync(file);
    return rate;
  });

const sqlite = () =>
  withDirectory(async (directory) => {
    const db = new Database(join(directory, 'log.db'));
    db.exec(
      'pragma journal_mode = wal; pragma synchronous = full; create table log (position integer primary key, record text)',
    );
    const insert = db.prepare('insert into log values (?, ?)');
    let n = 0;
    let prev = '0'.repeat(64);
    const rate = await writers(async (id, revision) => {
      n += 1;
      const record = rawRecord(n, `proposal-${id}`, revision + 1, randomUUID(), prev);
      prev = record.hash;
      insert.run(n, record.text);
    });
    db.close();
    return rate;
  });

export async function run() {
  const rates = { journal: [], plainFile: [], sqlite: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.plainFile.push(await plainFile());
    rates.journal.push(await journal());
    rates.sqlite.push(await sqlite());
  }
  const [ours, file, sql] = [median(rates.journal), median(rates.plainFile), median(rates.sqlite)];
  const per = (rate) => `${Math.round(rate)}/s`;
  return [
    ratio(
      'durable append, 64 writers, vs plain file batched with fdatasync',
      ours / file,
      atLeast(0.7),
      `${per(ours)} : ${per(file)}`,
    ),
    ratio(
      'durable append, 64 writers, vs SQLite WAL FULL, a transaction each',
      ours / sql,
      atLeast(5),
      `${per(ours)} : ${per(sql)}`,
    ),
  ];
}
