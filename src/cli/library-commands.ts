/** `castellan library ...`: the sources add-ons are installed from (wire, "Command line"). */
import { type Command, Option } from 'commander';
import type { Json, JsonObject } from '../contract/json.js';
import { dataPathOption } from './options.js';
import { ownerCommand, printAnswer } from './owner-command.js';

interface AddOptions {
  readonly id: string;
  readonly url: string;
  readonly kind: string;
  readonly name?: string;
  readonly format: string;
  readonly allowLoopbackHttp?: boolean;
  readonly requireSignature?: boolean;
  readonly issuer?: string;
  readonly identity?: string;
  readonly identityRegex?: string;
  readonly authReference?: string;
  readonly dataPath: string;
  readonly json?: boolean;
}

interface CommonOptions {
  readonly dataPath: string;
  readonly json?: boolean;
}

const common = (command: Command) => command.addOption(dataPathOption()).option('--json', 'print JSON');

function sourceOf(options: AddOptions): JsonObject {
  const { id, url, kind, name = id, format, authReference } = options;
  const policy = {
    requireSignature: options.requireSignature ?? false,
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.identity === undefined ? {} : { identity: options.identity }),
    ...(options.identityRegex === undefined ? {} : { identityRegex: options.identityRegex }),
    ...(options.allowLoopbackHttp ? { allowLoopbackHTTP: true } : {}),
  };
  return { id, url, kind, name, format, policy, ...(authReference === undefined ? {} : { authReference }) };
}

function line(source: JsonObject): string {
  const refresh = source.refresh as JsonObject | undefined;
  const state = source.removed ? 'removed' : source.suspended ? 'off' : source.enabled ? 'enabled' : 'disabled';
  const read =
    refresh === undefined
      ? 'not read yet'
      : refresh.failed
        ? 'last read failed'
        : refresh.count === 1
          ? '1 release'
          : `${refresh.count} releases`;
  return `${source.id}\t${source.kind}\t${state}\t${read}\t${source.url}`;
}

/** Says what was read of a library that was just added, so that nobody waits for releases that will not come. */
function addedLine(value: Json): string {
  const { id, refresh } = value as JsonObject & { readonly refresh?: JsonObject };
  if (refresh?.failed !== false)
    return `Added ${id}, but it could not be read yet: check the address, then castellan library refresh ${id}.`;
  return `Added ${id}: ${refresh.count} ${refresh.count === 1 ? 'release' : 'releases'}.`;
}

const lines = (value: Json) => ((value as JsonObject).sources as readonly JsonObject[]).map(line).join('\n');

export function addLibraryCommands(root: Command): void {
  const library = root.command('library').description('the libraries add-ons are installed from');
  common(library.command('add').description('add a library'))
    .requiredOption('--id <id>', 'a short name for it')
    .requiredOption('--url <url>', 'where its index is')
    .addOption(new Option('--kind <kind>', 'what it lists').choices(['addon', 'backend', 'model']).default('addon'))
    .option('--name <name>', 'the name people see')
    .addOption(new Option('--format <format>', 'how it lists it').choices(['library', 'gallery']).default('library'))
    .option('--allow-loopback-http', 'allow plain HTTP to a literal loopback address (development only)')
    .option('--require-signature', 'install only packages signed by --issuer and --identity')
    .option('--issuer <issuer>', 'who issued the signing identity')
    .option('--identity <identity>', 'the exact signing identity')
    .option('--identity-regex <pattern>', 'a pattern the whole signing identity must match')
    .option('--auth-reference <name>', 'the name of a configured credential')
    .action((options: AddOptions) =>
      printAnswer(ownerCommand(options.dataPath, 'library.add', sourceOf(options)), options, addedLine),
    );
  common(library.command('list').description('list the libraries')).action((options: CommonOptions) =>
    printAnswer(ownerCommand(options.dataPath, 'library.list', {}), options, lines),
  );
  for (const [verb, done] of [
    ['refresh', 'Read'],
    ['enable', 'Turned on'],
    ['disable', 'Turned off'],
    ['remove', 'Removed'],
  ] as const)
    common(library.command(`${verb} <id>`).description(`${verb} a library`)).action(
      (id: string, options: CommonOptions) =>
        printAnswer(ownerCommand(options.dataPath, `library.${verb}`, { id }), options, () => `${done} ${id}.`),
    );
}
