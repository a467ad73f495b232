/** The type of JSON values; strict reading stands in `strict-json.ts`, the canonical form in `canonical-json.ts`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
