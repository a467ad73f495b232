/** The Tables process: reads its startup line, opens its data directory and serves the wire on descriptor 3. */
import { dirname, join } from 'node:path';
import { QueryPool } from './query/pool.js';
import { AddonServer } from './server.js';
import { readStartup } from './startup.js';
import { Databases } from './store/databases.js';

const LISTENER = 3;
const STARTUP = 4;

const log = (message: string, fault: unknown) =>
  process.stderr.write(
    `${JSON.stringify({ msg: message, fault: fault instanceof Error ? fault.stack : String(fault) })}\n`,
  );

async function main(): Promise<void> {
  if (process.argv[2] !== '--localai-addon-v1') {
    process.stderr.write('Tables is started by its owner, with --localai-addon-v1.\n');
    process.exit(2);
  }
  process.umask(0o077);
  let opened: Databases | undefined;
  // The data is safe at every moment; closing only folds SQLite's logs into the files, so that a copy of them is whole.
  const end = () => {
    try {
      opened?.close();
    } catch (fault) {
      log('a database did not close', fault);
    }
    process.exit(0);
  };
  const startup = await readStartup(STARTUP, end);
  const databases = new Databases(startup.dataDir);
  opened = databases;
  const queries = new QueryPool(join(dirname(process.argv[1] ?? ''), 'query-helper.cjs'), startup.limits);
  const service = { databases, queries, limits: startup.limits, now: () => new Date() };
  new AddonServer(startup, service, log).http.listen({ fd: LISTENER });
  process.on('SIGTERM', end);
}

main().catch((fault) => {
  log('the add-on could not start', fault);
  process.exit(1);
});
