/** The whole manifest as one shape, and every rule that looks across its fields (05:3-50; chapters 02, 08, 09, 14, 18). */
import type { JsonObject } from '../json.js';
import { boolean, oneOf, type Report, record, type Shape, text } from '../shape.js';
import { connector, connectorRules } from './connector.js';
import { contextFileRules, contextFiles } from './context-files.js';
import { credentialRules, credentials } from './credentials.js';
import { executionProvider, executionProviderRules } from './execution-provider.js';
import { factsOf } from './facts.js';
import { hostOperationRules, hostOperations, network } from './host-operations.js';
import { resourceRules, resources } from './resources.js';
import { skillDefinitions, skillRules } from './skill-definitions.js';
import { adminToolNames, toolDefinitions, toolNames, toolRules } from './tools.js';
import { ui, uiRules } from './ui.js';
import { NAME_PATTERN, name, packagePath, range, version } from './words.js';

/**
 * First path segments that the host serves under `/api/addons/`; no add-on may have one as its id (05:16-23; 12:131).
 * A test derives the segments from the registered routes and compares.
 */
export const RESERVED_ADDON_IDS: readonly string[] = [
  'apps',
  'proposals',
  'artifacts',
  'resources',
  'conversations',
  'dispatch',
  'relay',
  'catalog',
  'icon',
  'assets',
  'installed',
  'sources',
  'builtin',
  'pins',
];

export const addonId: Shape = {
  schema: { ...name.schema, pattern: `^(?!(?:${RESERVED_ADDON_IDS.join('|')})$)${NAME_PATTERN.slice(1)}` },
  check(value, at, report) {
    if (RESERVED_ADDON_IDS.includes(value as string))
      report(at, 'reserved-id', "This id is the first part of one of the host's own addresses; choose another.");
    else name.check(value, at, report);
  },
};

const platform = (what: string) =>
  text({
    rule: 'platform',
    says: `the ${what} in lower case`,
    pattern: '^[a-z0-9][a-z0-9_]{0,31}$',
    max: 32,
  });

export const manifest = record(
  {
    schemaVersion: oneOf(1),
    id: addonId,
    version,
    executable: packagePath,
    os: platform('operating system, such as "linux",'),
    arch: platform('architecture, such as "amd64" or "arm64",'),
    host: range,
    api: range,
    protocol: range,
    dataFormat: range,
    capabilities: record(
      {},
      {
        service: boolean,
        tools: toolNames,
        toolDefinitions,
        adminTools: adminToolNames,
        resources,
        ui,
        undo: boolean,
        actions: boolean,
        connector,
        executionProvider,
        hostOperations,
        network,
        contextFiles,
        credentials,
        skillDefinitions,
      },
    ),
  },
  { launchMode: oneOf('always') },
);

/** Reports every problem of a manifest that is already strict JSON and an object. */
export function checkManifest(value: JsonObject, report: Report): void {
  manifest.check(value, '$', report);
  const facts = factsOf(value);
  for (const rules of [
    toolRules,
    resourceRules,
    uiRules,
    hostOperationRules,
    executionProviderRules,
    connectorRules,
    contextFileRules,
    credentialRules,
    skillRules,
  ])
    rules(facts, report);
}
