/** What a command of the command line says to the running server over the control socket, and how it is answered. */
import type { Either } from '../../contract/fp.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { Refusal } from '../../contract/refusal.js';

/** One function per command name; the same table serves the socket and a command that holds the owner itself. */
export type ControlCommands = Readonly<Record<string, (args: JsonObject) => Promise<Either<Refusal, Json>>>>;

export const SOCKET_NAME = 'control.sock';
export const MAX_CONTROL_BYTES = 8 * 1_048_576;
