/** Free queries, a few at a time, each within its time; what waits is bounded and the rest is told to come back. */
import { accept, busy, type Outcome, unfit } from '../outcome.js';
import type { Cell } from '../store/sqlite.js';
import { Fields } from '../wire/fields.js';
import type { JsonObject } from '../wire/json.js';
import type { Limits } from '../wire/shapes.js';
import { type Ended, QueryChild } from './child.js';
import type { QueryAnswer, QueryJob } from './messages.js';
import { MAX_SQL, scanQuery } from './scan.js';

const HELPERS = 2;
const WAITING = 8;
const IDLE_MS = 60_000;
export const QUERY_DEADLINE_MS = 5_000;

function decodeQuery(args: JsonObject, limits: Limits): Outcome<Omit<QueryJob, 'path'>> {
  const read = new Fields(args, 'query', ['tool', 'sql', 'parameters', 'limit']);
  const given = read.has('parameters') ? read.list('parameters', 0, 64) : [];
  const parameters = given.map((value): Cell => {
    if (typeof value === 'boolean') return Number(value);
    if (value === null || typeof value === 'number' || (typeof value === 'string' && !value.includes('\0')))
      return value;
    read.fail('query: parameters are texts, numbers, true, false or null');
    return null;
  });
  const rows = read.has('limit') ? read.integer('limit', 1, limits.queryRows) : limits.queryRows;
  const decoded = read.finish({ sql: read.text('sql', MAX_SQL), parameters, rows, bytes: limits.queryResultBytes });
  if (!decoded.ok) return decoded;
  const scanned = scanQuery(decoded.value.sql, limits.queryDepth);
  return scanned.ok ? decoded : scanned;
}

export class QueryPool {
  private readonly idle: QueryChild[] = [];
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly script: string,
    private readonly limits: Limits,
  ) {}

  /**
   * Runs a read-only query on one database. Refuses (422) what is not a plain query, what SQLite rejects, and what needs
   * more than its time or memory; 429 when too many wait.
   */
  async run(path: string, args: JsonObject, signal: AbortSignal): Promise<Outcome<JsonObject>> {
    const job = decodeQuery(args, this.limits);
    if (!job.ok) return job;
    const place = await this.place(signal);
    if (place === 'none') return busy(1, 'Too many queries are running. Try again.');
    if (place === 'left') return busy(1, 'The caller went away.');
    try {
      return await this.runNow({ ...job.value, path }, signal);
    } finally {
      // The place is handed on, so that nobody can slip in between.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  /** Waits for a place among those that run. A caller that goes away meanwhile makes room for another that waits. */
  private async place(signal: AbortSignal): Promise<'given' | 'left' | 'none'> {
    if (signal.aborted) return 'left';
    if (this.running < HELPERS) {
      this.running += 1;
      return 'given';
    }
    if (this.waiting.length >= WAITING) return 'none';
    return new Promise((resolve) => {
      const give = () => {
        signal.removeEventListener('abort', leave);
        resolve('given');
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(give), 1);
        resolve('left');
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(give);
    });
  }

  private async runNow(job: QueryJob, signal: AbortSignal): Promise<Outcome<JsonObject>> {
    const child = this.idle.pop() ?? new QueryChild(this.script);
    const answer = await child.run(job, QUERY_DEADLINE_MS, signal);
    if (child.alive) this.rest(child);
    return this.judge(answer);
  }

  /** A helper nobody needs for a while gives its memory back. */
  private rest(child: QueryChild): void {
    this.idle.push(child);
    const uses = child.uses;
    setTimeout(() => {
      const at = this.idle.indexOf(child);
      if (at < 0 || child.uses !== uses) return;
      this.idle.splice(at, 1);
      child.end('cancelled');
    }, IDLE_MS).unref();
  }

  private judge(answer: QueryAnswer | Ended): Outcome<JsonObject> {
    if ('payload' in answer) return accept(answer.payload);
    if ('refused' in answer) return unfit('bad_query', `The query was refused: ${answer.refused}`);
    if ('fault' in answer) throw new Error(`a query failed: ${answer.fault}`);
    if (answer.ended === 'deadline') {
      return unfit('query_too_slow', `The query took longer than ${QUERY_DEADLINE_MS / 1000} seconds and was ended.`);
    }
    if (answer.ended === 'unready') return busy(1, 'The query could not be started in time. Try again.');
    if (answer.ended === 'cancelled') return busy(1, 'The caller went away.');
    return unfit(
      'query_failed',
      'The query broke off: it needs more memory than a query may use, or SQLite gave up on it.',
    );
  }
}
