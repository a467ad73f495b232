/** Time from spawn to ready, against a bare Hono server that loads the same native modules. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, startCastellan, started } from './server-support.mjs';
import { atMost, median, ratio, withDirectory } from './support.mjs';

const ROUNDS = 12;

const module = (name) => JSON.stringify(import.meta.resolve(name));

const BARE = `
import ${module('lmdb')};
import koffi from ${module('koffi')};
import { Hono } from ${module('hono')};
import { serve } from ${module('@hono/node-server')};
koffi.load(null);
const app = new Hono();
app.get('/', (context) => context.text('hello'));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('listening http://127.0.0.1:' + port));
`;

export const run = () =>
  withDirectory(async (directory) => {
    const script = join(directory, 'bare.mjs');
    writeFileSync(script, BARE);
    const data = join(directory, 'data');
    await ended((await startCastellan(data)).child);
    const times = { castellan: [], bare: [] };
    for (let i = 0; i < ROUNDS; i++) {
      const one = await startCastellan(data);
      times.castellan.push(one.ms);
      await ended(one.child);
      const other = await started([script], /listening (\S+)/);
      times.bare.push(other.ms);
      await ended(other.child);
    }
    const [mine, theirs] = [median(times.castellan), median(times.bare)];
    const detail = `${Math.round(mine)} ms to ready, ${Math.round(theirs)} ms for the bare server`;
    return [ratio('ms from spawn to ready over a bare server', mine - theirs, atMost(250), detail)];
  });
