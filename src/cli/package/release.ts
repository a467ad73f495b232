/** `castellan package channel|plan|target|policy|catalog|catalog-tools`: what is published where. Nothing here opens a connection. */
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Either } from '../../contract/fp.js';
import { orRefuse, sayJson } from './say.js';

interface EventOptions {
  readonly event: string;
  readonly ref: string;
  readonly sha: string;
  readonly draft?: string;
  readonly prerelease?: string;
  readonly json?: boolean;
  readonly output?: string;
}

const isYes = (value: string | undefined) => value === 'true';
const eventOf = ({ event, ref, sha, draft, prerelease }: EventOptions) => ({
  event,
  ref,
  sha,
  draft: isYes(draft),
  prerelease: isYes(prerelease),
});

/** `key=value` lines, as the output file of a workflow step takes them; JSON for whatever is not a text. */
async function sayOutputs(values: object, { json, output }: Pick<EventOptions, 'json' | 'output'>): Promise<void> {
  if (json) return sayJson(values);
  const lines = Object.entries(values).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  console.log(lines.join('\n'));
  if (output !== undefined && output !== '') await appendFile(output, `${lines.join('\n')}\n`);
}

async function channel(options: EventOptions): Promise<void> {
  const { publicationOf } = await import('../../packages/release/channels.js');
  const publication = orRefuse(publicationOf(eventOf(options)), 'Nothing may be published');
  if (publication === undefined) return;
  const { immutable = '', moving = '' } = publication;
  await sayOutputs({ publish: immutable !== '', immutable, moving }, options);
}

async function plan(options: EventOptions & { readonly addons: string; readonly repository?: string }): Promise<void> {
  const { planOf, readConfigs } = await import('../../packages/release/plan.js');
  const configs = orRefuse(await readConfigs(options.addons), 'There is no plan');
  if (configs === undefined) return;
  const made = orRefuse(planOf(eventOf(options), configs, options.repository), 'There is no plan');
  if (made === undefined) return;
  const { publish, immutable = '', moving = '', legs, addons } = made;
  await sayOutputs({ publish, immutable, moving, legs, addons }, options);
}

async function target(options: { readonly repository?: string; readonly addon: string; readonly tag: string }) {
  const { targetOf } = await import('../../packages/release/repository.js');
  const reference = orRefuse(targetOf(options.repository, options.addon, options.tag), 'There is no target');
  if (reference !== undefined) console.log(reference);
}

async function policy(workflow: string, options: { readonly json?: boolean }): Promise<void> {
  const { workflowProblems } = await import('../../packages/release/policy.js');
  const problems = orRefuse(workflowProblems(await readFile(workflow)), 'The workflow is refused');
  if (problems === undefined) return;
  if (options.json) sayJson({ workflow, ok: problems.length === 0, problems });
  else console.log(problems.length === 0 ? `${workflow}: good` : problems.join('\n'));
  if (problems.length > 0) process.exitCode = 1;
}

interface CatalogOptions {
  readonly layout: readonly string[];
  readonly repository?: string;
  readonly tag?: string;
  readonly channel: string;
  readonly template?: string;
  readonly templates: string;
  readonly addons: string;
  readonly source?: string;
  readonly ref?: string;
  readonly out?: string;
  readonly check?: boolean;
}

/** The entries of the layouts, or without one the moving entries of a whole checkout. */
async function catalog(options: CatalogOptions, command: Command): Promise<void> {
  const { signerOf } = await import('../../contract/package-signer.js');
  if ((options.source === undefined) !== (options.ref === undefined))
    command.error('error: --source and --ref name the signer together');
  const { source, ref } = options;
  const signer = source === undefined || ref === undefined ? undefined : orRefuse(signerOf(source, ref), NOTHING);
  if (source !== undefined && signer === undefined) return;
  const expected = signer === undefined ? {} : { signer };
  const rows =
    options.layout.length === 0
      ? await developmentRows(options, expected, command)
      : await releaseRows(options, expected, command);
  const [{ renderRows }, { isLeft }] = await Promise.all([
    import('../../packages/builder/index-writer.js'),
    import('../../contract/fp.js'),
  ]);
  const text = orRefuse(isLeft(rows) ? rows : renderRows(rows.right), NOTHING);
  if (text !== undefined) await putText(text, options);
}

const NOTHING = 'No entry was rendered';
type Expected = Parameters<typeof import('../../packages/release/catalog.js').releaseEntries>[0]['signer'];
type Rows = Awaited<ReturnType<typeof import('../../packages/release/catalog.js').releaseEntries>>;

async function developmentRows(
  options: CatalogOptions,
  expected: { signer?: NonNullable<Expected> },
  command: Command,
): Promise<Rows> {
  if (options.channel !== 'development' || options.tag !== undefined)
    command.error('error: without --layout only --channel development can be rendered');
  const { readConfigs } = await import('../../packages/release/plan.js');
  const { developmentEntries } = await import('../../packages/release/catalog.js');
  const configs = await readConfigs(options.addons);
  if (configs._tag === 'Left') return configs;
  return developmentEntries({ configs: configs.right, repository: options.repository, ...expected });
}

async function releaseRows(
  options: CatalogOptions,
  expected: { signer?: NonNullable<Expected> },
  command: Command,
): Promise<Rows> {
  const { releaseEntries } = await import('../../packages/release/catalog.js');
  const { right } = await import('../../contract/fp.js');
  const { tag: name } = options;
  if (name === undefined) return command.error('error: --layout needs --tag');
  const all: (Rows & { _tag: 'Right' })['right'][number][] = [];
  for (const layout of options.layout) {
    const { repository, channel: current } = options;
    const template = await templateOf(options, layout);
    const input = { layout, repository, name, channel: current, ...expected };
    const rows = await releaseEntries(template === undefined ? input : { ...input, template });
    if (rows._tag === 'Left') return rows;
    all.push(...rows.right);
  }
  return right(all);
}

/** The template that is named, or else the one of the add-on where there is one. */
async function templateOf({ template, templates }: CatalogOptions, layout: string): Promise<string | undefined> {
  if (template !== undefined) return readFile(template, 'utf8');
  const receipt = await readFile(join(layout, 'receipt.json'), 'utf8').catch(() => undefined);
  const id = /"id":"([a-z][a-z0-9-]{0,63})"/.exec(receipt ?? '')?.[1];
  return id === undefined ? undefined : readFile(join(templates, `${id}.yaml.tmpl`), 'utf8').catch(() => undefined);
}

async function catalogTools(options: { readonly index: string; readonly addons: string; readonly check?: boolean }) {
  const { withTools } = await import('../../packages/release/catalog-tools.js');
  const done: Either<string, string> = await withTools(await readFile(options.index, 'utf8'), options.addons);
  const text = orRefuse(done, 'The index was not changed');
  if (text !== undefined) await putText(text, { ...options, out: options.index });
}

/** Prints, writes by a rename, or only says whether the file is what it would be. */
async function putText(
  text: string,
  { out, check }: { readonly out?: string; readonly check?: boolean },
): Promise<void> {
  if (out === undefined) return console.log(text.trimEnd());
  if (check) {
    const present = await readFile(out, 'utf8').catch(() => undefined);
    if (present === text) return console.log(`${out}: up to date`);
    console.error(`${out} is stale; render it again.`);
    process.exitCode = 1;
    return;
  }
  await writeFile(join(dirname(out), '.catalog.part'), text);
  await rename(join(dirname(out), '.catalog.part'), out);
  console.log(out);
}

const event = (command: Command): Command =>
  command
    .requiredOption('--event <name>', 'pull_request, push or release')
    .requiredOption('--ref <ref>', 'the full ref, such as refs/heads/master')
    .requiredOption('--sha <commit>', 'the full name of the commit')
    .option('--draft <true-or-false>', 'whether a release is a draft')
    .option('--prerelease <true-or-false>', 'whether a release is marked as a pre-release')
    .option('--output <file>', 'also append the lines to this file')
    .option('--json', 'print JSON');

export const repositoryOption = () =>
  new Option('--repository <host/path>', 'the repository of all add-ons').env('ADDON_OCI_REPOSITORY');
const addonsOption = () => new Option('--addons <dir>', 'the folder of the add-ons of a checkout').default('addons');
const list = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function addReleaseCommands(parent: Command): void {
  event(parent.command('channel').description('say what an event of the forge may publish')).action(channel);
  event(parent.command('plan').description('say which add-on is built for which platform, and what is published'))
    .addOption(repositoryOption())
    .addOption(addonsOption())
    .action(plan);
  parent
    .command('target')
    .description('print the reference one add-on publishes a tag to, without asking anyone')
    .addOption(repositoryOption())
    .requiredOption('--addon <id>', 'the add-on')
    .requiredOption('--tag <name>', 'a version, sha- and 12 hex digits, or a channel')
    .action(target);
  parent
    .command('policy <workflow>')
    .description('check the workflow that builds and publishes packages')
    .option('--json', 'print JSON')
    .action(policy);
  parent
    .command('catalog')
    .description('render the library entries of joined layouts, or the development entries of a checkout')
    .option('--layout <dir>', 'a joined layout (repeatable)', list, [])
    .addOption(repositoryOption())
    .option('--tag <name>', 'the immutable name the layouts are published under')
    .requiredOption('--channel <channel>', 'the channel the entries are current for')
    .option('--template <file>', 'the template of the entries')
    .option('--templates <dir>', 'where <id>.yaml.tmpl is looked for', 'gallery/addons')
    .addOption(addonsOption())
    .option('--source <owner/name>', 'the repository whose pipeline signs')
    .option('--ref <ref>', 'the full ref of the run that signs')
    .option('--out <file>', 'write there instead of printing')
    .option('--check', 'only say whether --out is up to date')
    .action(catalog);
  parent
    .command('catalog-tools')
    .description('write the tools that add-ons declare into an index')
    .requiredOption('--index <file>', 'the index')
    .addOption(addonsOption())
    .option('--check', 'only say whether the index is up to date')
    .action(catalogTools);
}
