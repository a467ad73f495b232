/** Writes docs/manifest.schema.json from the shapes of the parser. usage: npx tsc -p tsconfig.test.json && node scripts/manifest-schema.mjs */
import { writeFileSync } from 'node:fs';
import { manifestSchema } from '../build/src/contract/manifest/json-schema.js';

writeFileSync(
  new URL('../docs/manifest.schema.json', import.meta.url),
  `${JSON.stringify(manifestSchema(), null, 2)}\n`,
);
