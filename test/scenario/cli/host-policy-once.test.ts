/** A policy file that changes under a running server: what was read at the start counts until the next one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { addLibrary } from '../../support/main-job.js';
import { clientOf, type RunningServer, startServer } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('a policy file read once');
let library: TestLibrary;
test.before(async () => {
  const capabilities = { hostOperations: { required: ['workspace.materialize'] } };
  library = await counterLibrary([
    { id: 'needs-first', capabilities },
    { id: 'needs-second', capabilities },
  ]);
});
test.after(() => library.close());

test('a grant or its removal written to the file of a running server counts from the next start [HOSTPOLICY-003]', async () => {
  const data = tempDir('policy-once');
  const file = join(tempDir('policy-file'), 'policy.json');
  const write = (grants: object) => writeFileSync(file, JSON.stringify({ schemaVersion: 1, grants }));
  const both = { 'needs-first': ['workspace.'], 'needs-second': ['workspace.'] };
  const start = () => startServer(data, [...ARGS, `--addon-host-policy=${file}`]);
  const install = async (server: RunningServer, addonId: string, operationId: string) => {
    const wanted = { sourceId: 'mine', version: '1.0.0' };
    const asked = { addonId, action: 'install', operationId, arguments: wanted };
    return (await clientOf(server.address).dispatch(asked)).status;
  };
  write({});
  let server = await start();
  try {
    await addLibrary(data, library.url);
    write(both);
    assert.is(await install(server, 'needs-first', 'in-1'), 403, 'a grant is not seen');
    await server.stop();
    server = await start();
    write({});
    assert.is(await install(server, 'needs-first', 'in-2'), 200, 'a removal is not seen');
    await server.stop();
    server = await start();
    assert.is(await install(server, 'needs-second', 'in-3'), 403);
  } finally {
    await server.stop();
  }
});

test.run();
