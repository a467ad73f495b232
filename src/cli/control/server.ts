/** The control socket of a running server: mode 0600 in the owner's runtime folder, one JSON request per connection. */
import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { isLeft, left } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';
import { refuse } from '../../contract/refusal.js';
import { type ControlCommands, MAX_CONTROL_BYTES, SOCKET_NAME } from './protocol.js';

/**
 * The address of the socket by way of an open directory: the kernel cuts a socket path at 107 bytes, and a data path
 * may be longer than that.
 */
export function socketPath(directoryFd: number): string {
  return `/proc/self/fd/${directoryFd}/${SOCKET_NAME}`;
}

export async function serveControl(runtimeDir: string, commands: ControlCommands): Promise<{ close(): Promise<void> }> {
  const directory = openSync(runtimeDir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  rmSync(join(runtimeDir, SOCKET_NAME), { force: true });
  const server = createControl(commands);
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socketPath(directory), () => resolve());
    });
  } finally {
    process.umask(before);
  }
  chmodSync(join(runtimeDir, SOCKET_NAME), 0o600);
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      closeSync(directory);
    },
  };
}

function createControl(commands: ControlCommands): Server {
  return createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_CONTROL_BYTES) return response.destroy();
    }
    const { command, args } = JSON.parse(text) as { command: string; args: JsonObject };
    const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
    const result =
      run === undefined ? left(refuse('not_found', `The running server has no command ${command}.`)) : await run(args);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(isLeft(result) ? { refusal: result.left } : { value: result.right ?? null }));
  });
}
