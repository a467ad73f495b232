/** Serves the built page against the mock: `npx tsc -p tsconfig.test.json && node build/ui/dev/serve.js [port]`. */
import { fileURLToPath } from 'node:url';
import { startMock } from './mock.js';

const dist = fileURLToPath(new URL('../../../dist/ui', import.meta.url));
const mock = await startMock({ dist, port: Number(process.argv[2] ?? 5174) });
console.log(mock.url);
