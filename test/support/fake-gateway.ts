/**
 * A gateway that records what reached it and answers what a test says: for the HTTP layer's own rules, where the real
 * owner behind it would only hide which of the two refused.
 */
import type { Caller, OwnerGateway } from '../../src/commands/gateway.js';
import { right } from '../../src/contract/fp.js';

export interface Reached {
  readonly method: string;
  readonly caller: Caller | undefined;
  readonly args: readonly unknown[];
}

export function fakeGateway(answers: Readonly<Record<string, unknown>> = {}): {
  gateway: OwnerGateway;
  reached: Reached[];
} {
  const reached: Reached[] = [];
  const gateway = new Proxy({} as OwnerGateway, {
    get: (_, method: string) => {
      if (method === 'notReady') return () => answers.notReady;
      if (method === 'subscribe') return answers.subscribe ?? (() => () => {});
      return async (...args: unknown[]) => {
        reached.push({ method, caller: args[0] as Caller, args: args.slice(1) });
        const answer = answers[method];
        return typeof answer === 'function' ? answer(...args) : (answer ?? right({}));
      };
    },
  });
  return { gateway, reached };
}
