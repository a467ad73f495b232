/** The JSON Schema of a body, read off the codec that decodes it, so that the two cannot drift apart. */
import { fieldsOf, type t } from '../../contract/fp.js';
import type { JsonObject } from '../../contract/json.js';

interface Inside {
  readonly _tag?: string;
  readonly type?: t.Mixed;
  readonly types?: readonly t.Mixed[];
  readonly keys?: object;
  readonly value?: string | number | boolean;
}

/** Throws for a codec whose meaning it does not know: a description that leaves something out would mislead. */
export function schemaOf(codec: t.Mixed): JsonObject {
  const fields = fieldsOf(codec);
  if (fields !== undefined) {
    const named = [...fields];
    return {
      type: 'object',
      title: codec.name,
      properties: Object.fromEntries(named.map(([name, field]) => [name, schemaOf(field.codec)])),
      required: named.filter(([, field]) => field.required).map(([name]) => name),
      additionalProperties: false,
    };
  }
  const inside = codec as Inside;
  switch (inside._tag) {
    case 'StringType':
      return { type: 'string' };
    case 'NumberType':
      return { type: 'number' };
    case 'BooleanType':
      return { type: 'boolean' };
    case 'NullType':
      return { type: 'null' };
    case 'AnyDictionaryType':
      return { type: 'object' };
    case 'KeyofType':
      return { enum: Object.keys(inside.keys ?? {}) };
    case 'LiteralType':
      return { const: inside.value ?? null };
    case 'RefinementType':
      if (inside.type !== undefined) return { ...schemaOf(inside.type), description: codec.name };
      break;
    case 'ArrayType':
      if (inside.type !== undefined) return { type: 'array', items: schemaOf(inside.type) };
      break;
    case 'UnionType':
      if (inside.types !== undefined) return { anyOf: inside.types.map(schemaOf) };
  }
  throw new Error(`the codec ${codec.name} has no description`);
}
