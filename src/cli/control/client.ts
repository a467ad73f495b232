/** Asks the running server over its control socket. */
import { closeSync, constants, openSync } from 'node:fs';
import { request } from 'node:http';
import { type Either, left, right } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { socketPath } from './server.js';

/** The answer of the running server, or undefined when none listens on this root. */
export async function askServer(
  runtimeDir: string,
  command: string,
  args: JsonObject,
): Promise<Either<Refusal, Json> | undefined> {
  let directory: number;
  try {
    directory = openSync(runtimeDir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    return await ask(socketPath(directory), JSON.stringify({ command, args }));
  } finally {
    closeSync(directory);
  }
}

function ask(path: string, body: string): Promise<Either<Refusal, Json> | undefined> {
  return new Promise((resolve) => {
    // No pooled connection: the number in the path means another directory the next time.
    const call = request({ socketPath: path, method: 'POST', path: '/', agent: false }, async (response) => {
      try {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        const reply = JSON.parse(text) as { refusal?: Refusal; value?: Json };
        resolve(reply.refusal === undefined ? right(reply.value ?? null) : left(reply.refusal));
      } catch {
        resolve(
          left(
            refuse('outcome_unknown', 'The server ended before it answered. Look at its log and repeat the command.'),
          ),
        );
      }
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      const nobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      resolve(
        nobody
          ? undefined
          : left(refuse('outcome_unknown', 'The server ended before it answered. Repeat the command.')),
      );
    });
    call.end(body);
  });
}
