/** Valid manifests to start from; each call gives a fresh copy that a test may change. */
import type { Json, JsonObject } from '../../src/contract/json.js';

const LEVELS = {
  host: { min: 1, max: 1 },
  api: { min: 1, max: 2 },
  protocol: { min: 1, max: 1 },
  dataFormat: { min: 1, max: 1 },
};

/** A manifest with these capabilities, valid when they are. */
export function manifestWith(capabilities: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    schemaVersion: 1,
    id: 'boards',
    version: '1.2.3',
    executable: 'bin/boards',
    os: 'linux',
    arch: 'amd64',
    ...LEVELS,
    capabilities,
    ...more,
  };
}

const RESOURCE = { resourceId: { type: 'string' } };
const schema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const tool = (name: string, kind: string, inputSchema: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  kind,
  description: `The tool ${name}.`,
  inputSchema,
  ...more,
});

/** Tools, resources with a listing, and undo: the shape of an add-on that keeps data. */
export const dataManifest = (): JsonObject =>
  manifestWith({
    service: true,
    undo: true,
    tools: ['boards-inspect', 'boards-read', 'cards-add', 'boards-alter', 'boards-create', 'resource-exists'],
    adminTools: ['boards-delete'],
    toolDefinitions: [
      tool('boards-inspect', 'read', schema(RESOURCE, ['resourceId'])),
      tool(
        'boards-read',
        'read',
        schema({ ...RESOURCE, limit: { type: 'integer', minimum: 1, maximum: 100 } }, ['resourceId']),
      ),
      tool(
        'cards-add',
        'write',
        schema({ ...RESOURCE, cards: { type: 'array', items: { type: 'string' }, maxItems: 9 } }, ['resourceId']),
      ),
      tool(
        'boards-alter',
        'schema',
        schema({ ...RESOURCE, name: { type: 'string', pattern: '^[a-z]+$' } }, ['resourceId']),
      ),
      tool('boards-create', 'create', schema({ name: { type: 'string', maxLength: 80 } }, ['name'])),
      tool('resource-exists', 'read', schema(RESOURCE, ['resourceId'])),
    ],
    resources: {
      create: 'boards-create',
      rename: 'boards-alter',
      inspect: 'boards-inspect',
      delete: 'boards-delete',
      noun: 'board',
      list: { tool: 'boards-list', items: 'boards' },
    },
  });

/** Pages, home commands, model actions and every kind of contribution. */
export const uiManifest = (): JsonObject =>
  manifestWith({
    tools: ['boards-show'],
    toolDefinitions: [tool('boards-show', 'read', schema({}, []))],
    ui: {
      entry: 'ui/boards.js',
      sdk: { min: 1, max: 2 },
      css: ['ui/boards.css'],
      pages: ['boards', 'archive'],
      navigation: ['boards'],
      mainPage: 'boards',
      icon: 'ui/icon.png',
      title: { en: 'Boards', it: 'Lavagne', 'pt-BR': 'Quadros' },
      description: 'Boards with cards.',
      chatActions: [
        'inert',
        { id: 'pin', label: 'Pin', icon: 'bookmark', placement: 'message', target: { tool: 'boards-show' } },
        {
          id: 'pick',
          label: { en: 'Pick' },
          icon: 'ui/icon.png',
          placement: 'composer',
          target: { component: 'Picker' },
        },
      ],
      slots: [
        { id: 'settings', slot: 'settings.sections', component: 'Settings' },
        { id: 'preview', slot: 'files.preview', component: 'Preview', extensions: ['board', 'xlsx'] },
      ],
      renderers: [{ kind: 'approval-card', tool: 'boards-show', component: 'Card' }],
      controls: ['tool-providers'],
      homeCommands: [
        { id: 'open', alias: 'boards' },
        { id: 'old', page: 'archive', label: 'Archive', icon: 'clock' },
      ],
      modelActions: [{ capability: 'FLAG_IMAGE', page: 'boards', path: 'new/image' }],
    },
  });

/** An add-on that runs commands: shadows, execution descriptor, status tool, network and host operations. */
export const commandsManifest = (): JsonObject =>
  manifestWith({
    service: true,
    actions: true,
    tools: ['bash', 'execution-status'],
    toolDefinitions: [
      tool('bash', 'action', schema({ command: { type: 'string' }, timeout: { type: 'integer' } }, ['command']), {
        shadows: 'bash',
        execution: {
          class: 'commands',
          title: 'Runbox',
          note: 'The environment has python3, jq and sqlite3.',
          skills: { providesRuntimeFor: ['documents'] },
        },
      }),
      tool('execution-status', 'read', schema({}, []), { uiOnly: true }),
    ],
    executionProvider: { tools: ['bash'], statusTool: 'execution-status' },
    network: {
      kind: 'egress-check',
      title: 'Runbox',
      presets: [
        { id: 'off', title: 'Closed' },
        { id: 'all', title: 'Open web' },
      ],
    },
    hostOperations: { required: ['workspace.materialize'], optional: ['egress.check', 'egress.audit'] },
    ui: { entry: 'ui/devbox.js', sdk: { min: 2, max: 2 }, controls: ['network-policy', 'tool-providers'] },
  });

/** Connector kinds with every optional field, a credential, context files and skills. */
export const connectorManifest = (): JsonObject =>
  manifestWith({
    tools: ['issues-list'],
    toolDefinitions: [
      tool('issues-list', 'read', schema({ repo: { type: 'string' }, page: { type: 'integer' } }, ['repo'])),
    ],
    connector: {
      kinds: [
        {
          id: 'telegram',
          title: 'Telegram',
          description: 'Talk to one of your saved agents.',
          senderHint: 'A chat ID or an @username',
          delivery: 'pull',
          page: 'bots',
          drafts: true,
          previewMs: 400,
          history: { thread: true, maxMessages: 50 },
          options: [
            {
              id: 'follow',
              title: 'Follow',
              values: [
                { id: 'own', title: 'Own' },
                { id: 'any', title: 'Any' },
              ],
              default: 'own',
            },
          ],
          files: {
            receive: { maxBytes: 20971520, types: ['image/*', 'application/pdf'] },
            send: { maxBytes: 52428800 },
          },
          roles: [{ id: 'admin', title: 'Admins', description: 'Of the workspace.' }],
          permissions: ['proposals.confirm', 'profile.write'],
        },
      ],
    },
    credentials: [{ id: 'token', title: 'Access token', kind: 'token', resourceArgument: 'repo' }],
    contextFiles: [
      { scope: 'user', path: 'Memory/index.md' },
      { scope: 'agent', path: 'Memory/agents/{agent}/index.md', cap: 1024 },
      { scope: 'channel', path: 'Memory/channels/{channel}/index.md' },
    ],
    skillDefinitions: [{ name: 'boards' }, { name: 'boards-quick' }, { name: 'xlsx', shadows: 'xlsx' }],
    ui: { entry: 'ui/bots.js', sdk: { min: 1, max: 2 }, pages: ['bots'] },
  });

export const VALID: Readonly<Record<string, () => JsonObject>> = {
  empty: () => manifestWith({}),
  data: dataManifest,
  ui: uiManifest,
  commands: commandsManifest,
  connector: connectorManifest,
};

/**
 * A copy of `value` with the member at `path` (`capabilities.ui.css[0]`) set, or removed when `to` is undefined.
 * Missing objects on the way are made.
 */
export function change(value: JsonObject, path: string, to: Json | undefined): JsonObject {
  const copy = structuredClone(value);
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  let at = copy as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = {};
    at = at[key] as Record<string, unknown>;
  }
  const last = keys.at(-1) ?? '';
  if (to === undefined) delete at[last];
  else at[last] = to;
  return copy;
}
