// Prints a proposal that imports the airports into the database whose resource id is given.
import { readFileSync } from 'node:fs';

const csv = readFileSync(new URL('airports.csv', import.meta.url), 'utf8');
console.log(
  JSON.stringify({
    addonId: 'tables',
    resourceId: process.argv[2],
    operationId: 'import-airports',
    generation: 1,
    action: 'schema',
    arguments: { tool: 'create-table-from-csv', table: 'airports', csv },
  }),
);
