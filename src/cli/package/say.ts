/** What the package commands have in common: one way to say what was done, one way to say why not. */
import type { Either } from '../../contract/fp.js';

/** Prints a refusal and makes the command exit with 1; answers the value otherwise. */
export function orRefuse<A>(result: Either<string, A>, done: string): A | undefined {
  if (result._tag === 'Right') return result.right;
  console.error(`${done}: ${result.left}.`);
  process.exitCode = 1;
  return undefined;
}

export const sayJson = (value: object): void => console.log(JSON.stringify(value));
