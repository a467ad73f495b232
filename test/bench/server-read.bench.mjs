/** What the server adds to a typed read, and how many it carries, against the same add-on called directly. */

import { wire, withEcho } from './server-support.mjs';
import { atLeast, atMost, median, ratio, withDirectory } from './support.mjs';

const ROUNDS = 1_000;
const WARM = 300;
/** As many as an add-on may have at once (05, "Finite implementation defaults"). */
const CONNECTIONS = 4;
const CARRY_MS = 5_000;

const request = {
  addonId: 'echo',
  operationId: 'read-1',
  generation: 1,
  action: 'read',
  arguments: { tool: 'say', word: 'x' },
};

function sides({ address, where }) {
  const actor = { userId: 'local-owner', credentialId: 'local-owner', mode: 'local-owner' };
  const envelope = { request, authority: { actor, scope: 'read', expiresAt: '2099-01-01T00:00:00Z' } };
  const secret = [`Authorization: Bearer ${where.credential}`, `X-LocalAI-Incarnation: ${where.incarnation}`];
  return {
    through: () => wire(address, '/api/addons/dispatch', [], JSON.stringify(request)),
    direct: () => wire(where.endpoint, '/read', secret, JSON.stringify(envelope)),
  };
}

/** In turns, so that both sides see the same machine. */
async function added({ through, direct }) {
  const [a, b] = [through(), direct()];
  const times = { through: [], direct: [] };
  for (let i = 0; i < ROUNDS + WARM; i++)
    for (const [name, side] of [
      ['through', a],
      ['direct', b],
    ]) {
      const from = performance.now();
      await side.once();
      if (i >= WARM) times[name].push(performance.now() - from);
    }
  a.close();
  b.close();
  return { through: median(times.through), direct: median(times.direct) };
}

async function carried(open) {
  const connections = Array.from({ length: CONNECTIONS }, open);
  let count = 0;
  const until = performance.now() + CARRY_MS;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        await connection.once();
        count += 1;
      }
      connection.close();
    }),
  );
  return (count * 1000) / CARRY_MS;
}

export const run = () =>
  withDirectory((directory) =>
    withEcho(directory, async (server) => {
      const both = sides(server);
      const { through, direct } = await added(both);
      const [many, bare] = [await carried(both.through), await carried(both.direct)];
      const detail = `${through.toFixed(2)} ms through the server, ${direct.toFixed(2)} ms at the add-on itself`;
      return [
        ratio('ms the server adds to a typed read, median', through - direct, atMost(1), detail),
        ratio('typed reads per second', many, atLeast(1600), `${Math.round(bare)} a second at the add-on itself`),
        ratio('reads through the server to reads at the add-on', many / bare, undefined, `${CONNECTIONS} connections`),
      ];
    }),
  );
