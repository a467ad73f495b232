/** Judges the workflow that builds, publishes and signs packages: its jobs, what they wait for, and who holds credentials (15:139-167). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { PACKAGE_WORKFLOW, SIGNER_ISSUER } from '../../contract/package-signer.js';
import { parseStrictYaml } from '../strict-yaml.js';

const JOBS = ['validate', 'plan', 'package', 'publish', 'promote'] as const;
type JobName = (typeof JOBS)[number];

/** What each job must at least wait for (15:146-150). */
const NEEDS: Readonly<Record<JobName, readonly JobName[]>> = {
  validate: [],
  plan: [],
  package: ['plan', 'validate'],
  publish: ['plan', 'validate', 'package'],
  promote: ['publish'],
};
/** The jobs that hold credentials. */
const TRUSTED: ReadonlySet<string> = new Set(['publish', 'promote']);
/** With one of these a job runs although another one failed. */
const STATUS = /\b(?:always|failure|cancelled)\s*\(/;
const MAX_WORKFLOW_BYTES = 262_144;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const textOf = (value: unknown): string => JSON.stringify(value ?? '');

/** Everything that is wrong with a workflow, one sentence each; empty when it may publish. Left: it cannot be read at all. */
export function workflowProblems(bytes: Uint8Array): Either<string, readonly string[]> {
  if (bytes.byteLength > MAX_WORKFLOW_BYTES) return left('it is larger than 256 KiB');
  const yaml = parseStrictYaml(bytes);
  if (isLeft(yaml)) return yaml;
  const workflow = fields(yaml.right.value);
  const jobs = fields(workflow.jobs);
  const missing = JOBS.filter((name) => !isFields(jobs[name]));
  if (missing.length > 0) return right([`The job ${missing.join(', ')} is missing.`]);
  return right([
    ...triggerProblems(workflow),
    ...chainProblems(jobs),
    ...credentialProblems(workflow, jobs),
    ...stepProblems(jobs),
    ...signingProblems(fields(jobs.publish)),
    ...promoteProblems(fields(jobs.promote)),
  ]);
}

function triggerProblems({ on }: Fields): string[] {
  const names = isFields(on) ? Object.keys(on) : list(on);
  return names.includes('pull_request_target')
    ? ['The workflow runs on pull_request_target, where code of a fork would meet secrets.']
    : [];
}

/** A red or missing job before must stop every job behind it. */
function chainProblems(jobs: Fields): string[] {
  const problems: string[] = [];
  for (const name of JOBS) {
    const job = fields(jobs[name]);
    const needs = list(job.needs);
    for (const other of NEEDS[name]) if (!needs.includes(other)) problems.push(`${name} does not need ${other}.`);
    if (STATUS.test(textOf(job.if))) problems.push(`${name} has a condition that lets it run after a failure.`);
    const lenient = [job, ...list(job.steps).map(fields)].some((one) => Object.hasOwn(one, 'continue-on-error'));
    if (lenient) problems.push(`${name} goes on after an error (continue-on-error).`);
    const steps = list(job.steps).map(fields);
    if (steps.some((step) => STATUS.test(textOf(step.if))))
      problems.push(`${name} has a step that runs after a failure.`);
  }
  const index = jobs['release-index'];
  if (index !== undefined && (!list(fields(index).needs).includes('publish') || STATUS.test(textOf(fields(index).if))))
    problems.push('release-index does not wait for publish.');
  const guard = String(fields(jobs.publish).if ?? '');
  if (!guard.includes("github.event_name != 'pull_request'") || !guard.includes("needs.plan.outputs.publish == 'true'"))
    problems.push('publish must be closed to pull requests and wait for the yes of plan.');
  return problems;
}

function credentialProblems(workflow: Fields, jobs: Fields): string[] {
  const problems: string[] = [];
  const base = workflow.permissions;
  if (!isFields(base) || Object.entries(base).some(([what, right]) => what !== 'contents' || right !== 'read'))
    problems.push('The workflow gives every job more than read access to its contents.');
  for (const [name, value] of Object.entries(jobs)) {
    const job = fields(value);
    const trusted = TRUSTED.has(name);
    const { permissions, environment, ...rest } = job;
    const granted = isFields(permissions) ? Object.entries(permissions) : [];
    if (permissions !== undefined && !isFields(permissions)) problems.push(`${name} has permissions of another shape.`);
    for (const [what, right] of granted)
      if (right === 'write' && !mayWrite(name, what)) problems.push(`${name} may write ${what}.`);
    if (!trusted && /secrets\s*[.[]/.test(textOf(rest))) problems.push(`${name} reads a secret.`);
    if (!trusted && /\blogin\b/.test(textOf(rest.steps))) problems.push(`${name} logs in to a registry.`);
    if (trusted && environment === undefined) problems.push(`${name} has no protected environment.`);
  }
  if (/secrets\s*[.[]/.test(textOf(workflow.env))) problems.push('The workflow gives every job a secret.');
  if (fields(fields(jobs.publish).permissions)['id-token'] !== 'write')
    problems.push('publish has no id-token, so it cannot sign.');
  return problems;
}

/** The identity that signs, and the asset of a release that lists what was signed (04, "The official library"). */
const mayWrite = (job: string, what: string): boolean =>
  (job === 'publish' && what === 'id-token') || (job === 'release-index' && what === 'contents');

const runs = (job: unknown): string =>
  list(fields(job).steps)
    .map((step) => String(fields(step).run ?? ''))
    .join('\n');
const hasMatrix = (job: unknown, key: string): boolean =>
  isFields(fields(fields(job).strategy).matrix) && textOf(fields(fields(job).strategy).matrix).includes(key);

/** What each job must do, and in which order where one step stands on another. */
function stepProblems(jobs: Fields): string[] {
  const problems: string[] = [];
  const must = (name: JobName, patterns: readonly RegExp[], what: string) => {
    let rest = runs(jobs[name]);
    for (const pattern of patterns) {
      const match = pattern.exec(rest);
      if (match === null) {
        problems.push(`${name} does not ${what}.`);
        return;
      }
      rest = rest.slice(match.index + match[0].length);
    }
  };
  must('validate', [/npm run build/], 'build the pages');
  must('validate', [/node test\/run\.mjs/], 'run the packaging checks');
  must('plan', [/scripts\/addons\/channel\.sh/], 'ask channel.sh what may be published');
  must('plan', [/package plan/], 'check the platform matrices');
  must(
    'package',
    [/scripts\/addons\/package\.sh/, /scripts\/addons\/start-check\.mjs/],
    'build the package and start its executable',
  );
  must(
    'publish',
    [/package join/, /package push/, /cosign sign/, /cosign verify/],
    'join, push, sign and verify, in this order',
  );
  must('promote', [/package promote/], 'promote through the checks');
  for (const name of ['validate', 'publish', 'promote'] as const)
    if (!hasMatrix(jobs[name], 'addon')) problems.push(`${name} does not have one leg for each add-on.`);
  if (!/matrix\.[a-z.]*runner/.test(String(fields(jobs.package)['runs-on'] ?? '')))
    problems.push('package does not run on the native runner of its leg.');
  if (!list(fields(jobs.package).steps).some((step) => /upload-artifact/.test(String(fields(step).uses ?? ''))))
    problems.push('package does not upload its layout.');
  return problems;
}

/** Signed without a key, by digest, where a reader looks for it, and verified against exactly this workflow (15:149,183-186). */
function signingProblems(publish: Fields): string[] {
  const text = runs(publish);
  const problems: string[] = [];
  const sign = /cosign sign ([^\n]*)/.exec(text)?.[1] ?? '';
  const verify = /cosign verify ((?:[^\n]*\\\n)*[^\n]*)/.exec(text)?.[1] ?? '';
  for (const flag of ['--new-bundle-format', '--registry-referrers-mode=oci-1-1'])
    if (!sign.includes(flag)) problems.push(`publish signs without ${flag}.`);
  if (/--key\b/.test(sign)) problems.push('publish signs with a key instead of its identity.');
  for (const [what, line] of [
    ['signs', sign],
    ['verifies', verify],
  ] as const)
    if (!/@\$\{?digest\}?"/.test(line)) problems.push(`publish ${what} something that is not named by its digest.`);
  const identity = `https://github.com/\${{ github.repository }}/${PACKAGE_WORKFLOW}@\${{ github.ref }}`;
  if (!/--certificate-identity "\$IDENTITY"/.test(verify) || fields(publish.env).IDENTITY !== identity)
    problems.push('publish does not verify against exactly the identity of this workflow.');
  if (!verify.includes(`--certificate-oidc-issuer ${SIGNER_ISSUER}`))
    problems.push('publish does not verify against the issuer of this workflow.');
  return problems;
}

/** A registry cannot compare and swap a tag, so only one run at a time may move one (15:164-167,178-181). */
function promoteProblems(promote: Fields): string[] {
  const { concurrency } = promote;
  const group = isFields(concurrency) ? String(concurrency.group ?? '') : String(concurrency ?? '');
  const problems: string[] = [];
  if (!group.includes('matrix.addon') || !group.includes('needs.plan.outputs.moving'))
    problems.push('promote is not serialized by add-on and channel.');
  if (
    isFields(concurrency) &&
    concurrency['cancel-in-progress'] !== undefined &&
    concurrency['cancel-in-progress'] !== false
  )
    problems.push('promote may be cancelled while it moves a tag.');
  if (!list(promote.needs).includes('plan')) problems.push('promote does not need plan.');
  return problems;
}
