/** A manifest after strict parsing (05, "Manifest"; wire.md, "Manifest"). The parser stands in `manifest.ts`. */
import type { JsonObject } from './json.js';

export interface Range {
  readonly min: number;
  readonly max: number;
}

export type ToolKind = 'read' | 'write' | 'schema' | 'create' | 'action';

export interface ToolDefinition {
  readonly name: string;
  readonly kind: ToolKind;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly shadows?: string;
  readonly uiOnly?: boolean;
  readonly execution?: JsonObject;
}

export type LocalizedText = string | Readonly<Record<string, string>>;

export interface ManifestUI {
  readonly entry: string;
  readonly sdk: Range;
  readonly css?: readonly string[];
  readonly pages?: readonly string[];
  readonly mainPage?: string;
  readonly icon?: string;
  readonly title?: LocalizedText;
  readonly description?: LocalizedText;
  readonly navigation?: readonly string[];
}

/** Asks the host for a listing tool (02:322-356); `items` is the key of the result array, `resources` when absent. */
export interface ResourceListing {
  readonly tool: string;
  readonly items?: string;
}

export interface ResourceMapping {
  readonly create?: string;
  readonly rename?: string;
  readonly inspect?: string;
  readonly delete?: string;
  readonly noun?: string;
  readonly list?: ResourceListing;
}

export interface Capabilities {
  readonly service: boolean;
  /** Names of the tools a model, a client or a page may name; the declared-tool rule reads this list only. */
  readonly tools: readonly string[];
  readonly toolDefinitions: readonly ToolDefinition[];
  readonly adminTools: readonly string[];
  readonly resources?: ResourceMapping;
  readonly ui?: ManifestUI;
  readonly undo: boolean;
  readonly actions: boolean;
}

export interface Manifest {
  readonly schemaVersion: 1;
  readonly id: string;
  readonly version: string;
  readonly executable: string;
  readonly os: string;
  readonly arch: string;
  readonly host: Range;
  readonly api: Range;
  readonly protocol: Range;
  readonly dataFormat: Range;
  readonly launchMode?: 'always';
  readonly capabilities: Capabilities;
  /** The whole object as it was written, every capability included: what registration and receipts carry. */
  readonly raw: JsonObject;
}
