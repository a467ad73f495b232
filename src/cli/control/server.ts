/** The control socket of a running server: mode 0600 in the owner's runtime folder, one JSON request per connection. */
import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { closed, type Either, isLeft, left, t } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { parseStrict } from '../../contract/strict-json.js';
import { type ControlCommands, MAX_CONTROL_BYTES, SOCKET_NAME } from './protocol.js';

/**
 * The address of the socket by way of an open directory: the kernel cuts a socket path at 107 bytes, and a data path
 * may be longer than that.
 */
export function socketPath(directoryFd: number): string {
  return `/proc/self/fd/${directoryFd}/${SOCKET_NAME}`;
}

export interface Control {
  /** Cuts what is open, and takes the socket away. */
  close(): Promise<void>;
}

/** @param fault hears of a command that failed in a way it does not answer for itself. */
export async function serveControl(
  runtimeDir: string,
  commands: ControlCommands,
  fault: (error: unknown) => void,
): Promise<Control> {
  const directory = openSync(runtimeDir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  rmSync(join(runtimeDir, SOCKET_NAME), { force: true });
  const server = createControl(commands, fault);
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

const asked = closed('command', { command: t.string, args: t.UnknownRecord });

function createControl(commands: ControlCommands, fault: (error: unknown) => void): Server {
  return createServer((request, response) => {
    answer(commands, request).then(
      (result) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(isLeft(result) ? { refusal: result.left } : { value: result.right }));
      },
      (error: unknown) => {
        // Whoever asked went away in the middle, or a command met a fault; neither may end the server.
        if (!request.destroyed || request.complete) fault(error);
        response.destroy();
      },
    );
  });
}

/** Rejects when the connection ends within the request, and with the fault of a command. */
async function answer(commands: ControlCommands, request: IncomingMessage): Promise<Either<Refusal, Json>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_CONTROL_BYTES) return left(refuse('too_large', 'The command is too long. Nothing changed.'));
    chunks.push(chunk);
  }
  const parsed = parseStrict(Buffer.concat(chunks, size), { maxBytes: MAX_CONTROL_BYTES });
  if (isLeft(parsed) || !asked.is(parsed.right))
    return left(refuse('invalid_request', 'The command is malformed. Nothing changed.'));
  const { command, args } = parsed.right;
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  return run === undefined
    ? left(refuse('not_found', `The running server has no command ${command}.`))
    : await run(args as JsonObject);
}
