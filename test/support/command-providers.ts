/** A lifecycle world whose add-ons replace `bash`, and what they answer when they are asked for their status. */
import type { RuntimeClient } from '../../src/commands/ports.js';
import { right } from '../../src/contract/fp.js';
import type { Json, JsonObject } from '../../src/contract/json.js';
import type { Envelope } from '../../src/contract/wire.js';
import { inWorld } from './in-world.js';
import { testManifest, type World } from './lifecycle-world.js';

/** An add-on that runs commands and says how. */
export function commandsManifest(id: string, version: string): JsonObject {
  const manifest = testManifest(id, version);
  const schema = (properties: Json, required: Json) => ({ type: 'object', properties, required });
  return {
    ...manifest,
    capabilities: {
      service: true,
      tools: ['bash', 'execution-status'],
      toolDefinitions: [
        {
          name: 'bash',
          kind: 'action',
          shadows: 'bash',
          inputSchema: schema({ command: { type: 'string' } }, ['command']),
        },
        { name: 'execution-status', kind: 'read', uiOnly: true, inputSchema: schema({}, []) },
      ],
      skillDefinitions: [{ name: 'xlsx', shadows: 'xlsx' }],
      executionProvider: { tools: ['bash'], statusTool: 'execution-status' },
    },
  };
}

export const ISOLATED = { readiness: 'available', isolation: 'isolated' };

export interface Commands {
  readonly world: World;
  /** Every question that reached an add-on. */
  readonly asked: Envelope[];
  /** What the next question is answered, after `during` ran. */
  answer: Json;
  during: () => Promise<void>;
  /** Lets the add-ons of the present process of the owner be called. */
  listen(): void;
}

/** `demo` and then `other` are installed and on. */
export const withCommands = (body: (commands: Commands) => Promise<void>): (() => Promise<void>) =>
  inWorld(
    async (world) => {
      const commands: Commands = {
        world,
        asked: [],
        answer: ISOLATED,
        during: async () => undefined,
        listen: () => {
          world.runtimes.reader = read;
        },
      };
      const read: RuntimeClient['read'] = async (envelope) => {
        commands.asked.push(envelope);
        await commands.during();
        return right({ payload: commands.answer });
      };
      commands.listen();
      await world.install('op-1');
      world.clock.advance(60_000);
      await world.install('op-2', '1.0.0', 'other');
      await world.act('enable', 'op-3');
      await world.act('enable', 'op-4', {}, 'other');
      await body(commands);
    },
    (world) => {
      world.packages.manifestOf = (release) => commandsManifest(release.id, release.version);
    },
  );
