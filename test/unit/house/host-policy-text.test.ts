/** What the documentation must tell whoever grants host operations; a sentence that goes away takes its row with it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';

const test = suite('documentation of host operations');
const text = readFileSync(join(process.cwd(), 'docs/operators.md'), 'utf8');
const [, section = ''] = /\n## Host operations\n([\s\S]*?)\n## /.exec(text) ?? [];
const plain = section.replace(/\s+/g, ' ');
const says = (...sentences: string[]) => {
  for (const sentence of sentences) assert.ok(plain.includes(sentence), `missing: ${sentence}`);
};

test('the file is to be kept where add-ons cannot write, with its owner, folder and mount protected [HOSTPOLICY-006]', () => {
  says('Keep the file where add-ons and people you do not trust cannot write, and protect its folder and its mount');
  says('install -o root -g root');
});

test('grants of ids that the operator does not trust are to be reviewed and taken out [HOSTPOLICY-038]', () => {
  says('Review the file before you select it, and take out every id that you do not want to trust');
});

test('every launcher but the flag and the variable is without grants [HOSTPOLICY-044]', () => {
  says('have no grants until one of these is set');
  for (const kind of [
    'release binaries',
    'install scripts',
    'development containers',
    'Helm charts',
    'desktop launchers',
  ])
    says(kind);
  says('systemd units of your own');
});

test('the step of an upgrade installs the reviewed file, root-owned and readable, and selects it [HOSTPOLICY-049]', () => {
  const folder = 'sudo install -d -m 0755 /etc/castellan/addons';
  const file =
    'sudo install -o root -g root -m 0644 deploy/addons/host-policy.json /etc/castellan/addons/host-policy.json';
  says(
    folder,
    file,
    '--addon-host-policy=/etc/castellan/addons/host-policy.json',
    'LOCALAI_ADDON_HOST_POLICY=/etc/castellan',
  );
  says('A former installation that was granted operations without saying so has none after an upgrade');
  assert.ok(existsSync(join(process.cwd(), 'deploy/addons/host-policy.json')));
});

test.run();
