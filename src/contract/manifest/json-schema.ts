/**
 * The JSON Schema of a manifest, generated from the shapes that parse it. The parser stays the authority (02:6): rules
 * that look across fields are beyond JSON Schema, and are listed here so that nobody takes silence for consent.
 */
import type { JsonObject } from '../json.js';
import { TYPES } from '../schema/dialect.js';
import { manifest } from './document.js';

/** Rules of the parser that the schema cannot express: a manifest that breaks only these passes the schema. */
export const BEYOND_SCHEMA: readonly string[] = [
  'actions',
  'admin-tool',
  'api-2',
  'credentials',
  'default',
  'execution',
  'extensions',
  'home-command',
  'host-only',
  'icon-reference',
  'listing',
  'mapping',
  'network',
  'page',
  'placeholder',
  'provider',
  'range',
  'repeated-id',
  'resource-argument',
  'resource-exists',
  'resource-id',
  'route-length',
  'schema-bound-order',
  'schema-depth',
  'schema-keyword-type',
  'schema-pattern',
  'schema-property',
  'schema-required',
  'schema-size',
  'shadows',
  'skill-name',
  'skill-reserved',
  'skill-shadows',
  'status-tool',
  'total-size',
  'ui-only',
  'undeclared',
];

const node = { $ref: '#/$defs/schemaNode' };
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const types = { enum: TYPES };
const words = { type: 'string', maxLength: 4_096 };

const keywords: JsonObject = {
  type: { anyOf: [types, { type: 'array', items: types, minItems: 1, uniqueItems: true }] },
  enum: { type: 'array', items: scalar, minItems: 1, maxItems: 512, uniqueItems: true },
  const: scalar,
  description: words,
  title: words,
  default: {},
  properties: { type: 'object', additionalProperties: node },
  required: { type: 'array' },
  additionalProperties: { const: false },
  items: node,
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  pattern: { type: 'string' },
  minimum: { type: 'number' },
  maximum: { type: 'number' },
};

/** The schema as published in `docs/manifest.schema.json`. */
export function manifestSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Castellan add-on manifest',
    description:
      'Generated from the parser, which is the authority. Not in this schema: repeated keys, 64 KiB and 64 levels at ' +
      `most, and the rules across fields: ${BEYOND_SCHEMA.join(', ')}.`,
    ...manifest.schema,
    $defs: {
      schemaNode: { type: 'object', properties: keywords, additionalProperties: false },
      inputSchema: {
        $ref: '#/$defs/schemaNode',
        type: 'object',
        properties: { type: { const: 'object' } },
        required: ['type'],
      },
    },
  };
}
