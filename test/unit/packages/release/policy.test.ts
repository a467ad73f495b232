/** The workflow of this repository passes the policy, and every change that would open it does not (15:139-167). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { isLeft } from '../../../../src/contract/fp.js';
import { workflowProblems } from '../../../../src/packages/release/policy.js';
import { assert, suite } from '../../../support/harness.js';
import { ROOT } from '../../../support/server.js';

const test = suite('the workflow policy');
const TEXT = readFileSync(join(ROOT, '.github/workflows/addons-package.yml'), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: tests change any field of a workflow
type Workflow = any;
const problems = (text: string): string => {
  const found = workflowProblems(Buffer.from(text));
  return isLeft(found) ? found.left : found.right.join('\n');
};
const after = (change: (workflow: Workflow) => void): string => {
  const workflow = parse(TEXT) as Workflow;
  change(workflow);
  return problems(stringify(workflow));
};
const without = (list: string[], name: string) => list.filter((one) => one !== name);
const dropRun = (job: string, pattern: RegExp) => (workflow: Workflow) => {
  workflow.jobs[job].steps = workflow.jobs[job].steps.filter((step: Workflow) => !pattern.test(step.run ?? ''));
};

test('the workflow of this repository passes, also after a round through another writer', () => {
  assert.is(problems(TEXT), '');
  assert.is(
    after(() => undefined),
    '',
  );
});

test('validate has one leg for each add-on, builds, checks, and stops everything behind it when red [DIST-070]', () => {
  const { validate } = parse(TEXT).jobs;
  const addons = readdirSync(join(ROOT, 'addons'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.equal(
    validate.strategy.matrix.addon,
    addons.map(({ name }) => name),
  );
  assert.is(validate.if, undefined);
  assert.match(
    after((w) => delete w.jobs.validate.strategy),
    /validate does not have one leg/,
  );
  assert.match(after(dropRun('validate', /npm run build/)), /validate does not build/);
  assert.match(after(dropRun('validate', /test\/run/)), /validate does not run the packaging checks/);
  assert.match(
    after((w) => Object.assign(w.jobs.validate, { env: { X: `\${{ secrets.X }}` } })),
    /validate reads a secret/,
  );
  for (const job of ['package', 'publish'])
    assert.match(
      after((w) => Object.assign(w.jobs[job], { needs: without(w.jobs[job].needs, 'validate') })),
      new RegExp(`${job} does not need validate`),
    );
});

test('a publish that does not need validate is refused [DIST-080]', () => {
  const found = after((w) => Object.assign(w.jobs.publish, { needs: ['plan', 'package'] }));
  assert.is(found, 'publish does not need validate.');
});

test('a validate that may fail, or that runs after a failure, is refused [DIST-081]', () => {
  assert.match(
    after((w) => Object.assign(w.jobs.validate, { 'continue-on-error': true })),
    /continue-on-error/,
  );
  assert.match(
    after((w) => Object.assign(w.jobs.validate.steps[2], { 'continue-on-error': true })),
    /continue-on-error/,
  );
  for (const status of ['always()', 'failure()', 'cancelled()', '!cancelled()', `\${{ always() }}`])
    assert.match(
      after((w) => Object.assign(w.jobs.validate, { if: status })),
      /validate has a condition/,
    );
});

test('plan asks channel.sh and checks the matrices [DIST-054] [DIST-071]', () => {
  assert.match(after(dropRun('plan', /channel\.sh/)), /plan does not ask channel\.sh/);
  assert.match(after(dropRun('plan', /package plan/)), /plan does not check the platform matrices/);
});

test('package runs on the native runner of its leg, builds, starts the executable and uploads, without credentials [DIST-072]', () => {
  assert.match(
    after((w) => Object.assign(w.jobs.package, { 'runs-on': 'ubuntu-24.04' })),
    /native runner/,
  );
  assert.match(after(dropRun('package', /package\.sh/)), /package does not build the package/);
  const steps = (w: Workflow) => w.jobs.package.steps;
  assert.match(
    after((w) => {
      for (const step of steps(w)) if (step.run) step.run = step.run.replace('start-check.mjs', 'echo');
    }),
    /package does not build the package and start/,
  );
  assert.match(
    after((w) =>
      Object.assign(w.jobs.package, { steps: steps(w).filter((step: Workflow) => !/upload/.test(step.uses)) }),
    ),
    /package does not upload/,
  );
  assert.match(
    after((w) => Object.assign(steps(w)[0], { with: { token: `\${{ secrets.T }}` } })),
    /package reads a secret/,
  );
});

test('publish joins, pushes, signs and verifies, in this order, after plan, validate and package [DIST-073]', () => {
  for (const name of ['plan', 'validate', 'package'])
    assert.match(
      after((w) => Object.assign(w.jobs.publish, { needs: without(w.jobs.publish.needs, name) })),
      new RegExp(`publish does not need ${name}`),
    );
  for (const pattern of [/package join/, /package push/, /cosign sign/])
    assert.match(after(dropRun('publish', pattern)), /publish does not join, push, sign and verify/);
  assert.match(
    after((w) => w.jobs.publish.steps.reverse()),
    /in this order/,
  );
});

test('only publish and promote log in, in a protected environment, and only publish has an identity [DIST-075]', () => {
  for (const job of ['publish', 'promote'])
    assert.match(
      after((w) => delete w.jobs[job].environment),
      new RegExp(`${job} has no protected environment`),
    );
  for (const job of ['validate', 'plan', 'package', 'promote'])
    assert.match(
      after((w) => Object.assign(w.jobs[job], { permissions: { 'id-token': 'write' } })),
      new RegExp(`${job} may write id-token`),
    );
  assert.match(
    after((w) => Object.assign(w, { permissions: { 'id-token': 'write' } })),
    /every job more than read/,
  );
  assert.match(
    after((w) => delete w.permissions),
    /every job more than read/,
  );
  assert.match(
    after((w) => Object.assign(w, { env: { P: `\${{ secrets.P }}` } })),
    /every job a secret/,
  );
  assert.match(
    after((w) => w.jobs.package.steps.push({ run: 'cosign login x' })),
    /package logs in/,
  );
  assert.match(
    after((w) => delete w.jobs.publish.permissions),
    /cannot sign/,
  );
  assert.match(
    after((w) => Object.assign(w.jobs, { extra: { env: { P: `\${{ secrets['P'] }}` } } })),
    /extra reads a secret/,
  );
});

test('what is pushed is signed without a key and by digest, and verified against exactly this workflow [DIST-074]', () => {
  const edit = (from: string | RegExp, to: string) => (w: Workflow) => {
    for (const step of w.jobs.publish.steps) if (step.run) step.run = step.run.replace(from, to);
  };
  const cases: [string | RegExp, string, RegExp][] = [
    ['cosign sign --yes --new-bundle-format', 'cosign sign --yes', /signs without --new-bundle-format/],
    ['--registry-referrers-mode=oci-1-1', '', /signs without --registry-referrers-mode/],
    ['cosign sign --yes', 'cosign sign --yes --key k', /signs with a key/],
    [/(cosign sign [^\n]*)@\$digest/, '$1:$IMMUTABLE', /signs something that is not named by its digest/],
    [/(cosign verify [^;]*)@\$digest/, '$1:$IMMUTABLE', /verifies something that is not named by its digest/],
    ['--certificate-identity "$IDENTITY"', '--certificate-identity-regexp ".*"', /exactly the identity/],
    [/--certificate-oidc-issuer \S+/, '--certificate-oidc-issuer-regexp .*', /the issuer/],
  ];
  for (const [from, to, reason] of cases) assert.match(after(edit(from, to)), reason, String(from));
  const elsewhere = 'https://github.com/owner/name/.github/workflows/image.yml@refs/heads/master';
  assert.match(
    after((w) => Object.assign(w.jobs.publish.env, { IDENTITY: elsewhere })),
    /exactly the identity/,
  );
});

test('the index of a release waits for publish, and nobody else may write contents', () => {
  assert.match(
    after((w) => delete w.jobs['release-index'].needs),
    /release-index does not wait/,
  );
  assert.match(
    after((w) => Object.assign(w.jobs['release-index'], { if: 'always()' })),
    /release-index does not wait/,
  );
  assert.match(
    after((w) => Object.assign(w.jobs.promote, { permissions: { contents: 'write' } })),
    /promote may write contents/,
  );
});

test('promote runs after publish, one at a time for an add-on and channel [DIST-076]', () => {
  assert.match(
    after((w) => Object.assign(w.jobs.promote, { needs: ['plan'] })),
    /promote does not need publish/,
  );
  assert.match(
    after((w) => delete w.jobs.promote.concurrency),
    /not serialized/,
  );
  for (const group of ['promote', `promote-\${{ matrix.addon }}`, `promote-\${{ needs.plan.outputs.moving }}`])
    assert.match(
      after((w) => Object.assign(w.jobs.promote.concurrency, { group })),
      /not serialized/,
    );
  assert.match(
    after((w) => Object.assign(w.jobs.promote.concurrency, { 'cancel-in-progress': true })),
    /may be cancelled/,
  );
  assert.match(after(dropRun('promote', /package promote/)), /promote does not promote/);
});

test('no pull request reaches publish or promote [DIST-078]', () => {
  assert.match(
    after((w) => Object.assign(w.on, { pull_request_target: null })),
    /pull_request_target/,
  );
  assert.match(
    after((w) => Object.assign(w, { on: ['push', 'pull_request_target'] })),
    /pull_request_target/,
  );
  for (const guard of [undefined, "needs.plan.outputs.publish == 'true'", "github.event_name != 'pull_request'"])
    assert.match(
      after((w) => Object.assign(w.jobs.publish, { if: guard })),
      /closed to pull requests/,
    );
});

test('nothing behind a failed leg runs, and an alias moves only after signing [DIST-079]', () => {
  for (const job of ['package', 'publish', 'promote']) {
    assert.match(
      after((w) => Object.assign(w.jobs[job], { if: 'always()' })),
      new RegExp(`${job} has a condition`),
    );
    assert.match(
      after((w) => Object.assign(w.jobs[job], { 'continue-on-error': `\${{ true }}` })),
      new RegExp(`${job} goes on after an error`),
    );
    assert.match(
      after((w) => Object.assign(w.jobs[job].steps[1], { if: 'failure()' })),
      new RegExp(`${job} has a step that runs after a failure`),
    );
  }
  assert.match(
    after((w) => Object.assign(w.jobs.promote, { needs: ['plan', 'package'] })),
    /promote does not need publish/,
  );
  assert.match(after(dropRun('publish', /cosign/)), /sign and verify/);
});

test('a missing job and a file that is no workflow are refused', () => {
  for (const job of ['validate', 'plan', 'package', 'publish', 'promote'])
    assert.match(
      after((w) => delete w.jobs[job]),
      new RegExp(`The job ${job} is missing`),
    );
  for (const text of ['', '[]', 'jobs: x', 'a: &b 1\nc: *b']) assert.ok(problems(text) !== '', text);
});
test.run();
