/** What operators and authors must be told about add-on processes. */
import { readFileSync } from 'node:fs';
import { assert, suite } from '../../support/harness.js';

const test = suite('documentation of add-on processes');

test('it says that an add-on is trusted, not sandboxed, and must leave no workers behind [RUNTIME-025]', () => {
  const text = readFileSync('docs/add-on-processes.md', 'utf8').replace(/\s+/g, ' ');
  assert.match(text, /An add-on is trusted code/);
  assert.match(text, /not sandboxed/);
  assert.match(text, /must not leave workers running beyond its own process/);
});

test('authors are told that a change others see is no action, since an action asks nobody [ACTION-002]', () => {
  const text = readFileSync('docs/addon-authors.md', 'utf8').replace(/\s+/g, ' ');
  assert.match(
    text,
    /An action is not for data that others see: that is a `write`, `schema` or `create` tool, which a person confirms/,
  );
});

test.run();
