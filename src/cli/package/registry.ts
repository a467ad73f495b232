/** `castellan package push|promote`: the only two that write to a registry (15:135-138,149-150,164-181). */
import { type Command, Option } from 'commander';
import type { RegistryAccess } from '../../packages/oci/registry.js';
import { systemClock } from '../system.js';
import { repositoryOption } from './release.js';
import { orRefuse, sayJson } from './say.js';

interface CommonOptions {
  readonly repository?: string;
  readonly credentials?: string;
  readonly allowLoopbackHttp?: boolean;
  readonly issuer?: string;
  readonly identity?: string;
  readonly sigstoreTrustedRoot?: string;
  readonly json?: boolean;
}

/** Empty when nothing has to be signed; undefined when the keys cannot be had. */
async function checkOf(options: CommonOptions, access: RegistryAccess, done: string, command: Command) {
  const { issuer, identity, sigstoreTrustedRoot } = options;
  if ((issuer === undefined) !== (identity === undefined))
    command.error('error: --issuer and --identity name the signer together');
  if (issuer === undefined || identity === undefined) return {};
  const { signedBy, trustOf } = await import('../../packages/release/published-check.js');
  const trust = orRefuse(await trustOf(sigstoreTrustedRoot, systemClock), done);
  return trust === undefined ? undefined : { check: signedBy(access, { issuer, identity }, trust) };
}

async function accessOf(options: CommonOptions, done: string): Promise<RegistryAccess | undefined> {
  const [{ registryAccess }, { readCredentialsFile }] = await Promise.all([
    import('../../packages/release/registry-access.js'),
    import('../../packages/credentials-file.js'),
  ]);
  const { credentials: path } = options;
  const file = path === undefined ? undefined : orRefuse(await readCredentialsFile(path, process.env), done);
  if (path !== undefined && file === undefined) return undefined;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const access = registryAccess({
    repository: options.repository,
    allowLoopbackHTTP: options.allowLoopbackHttp === true,
    environment: process.env,
    clock: systemClock,
    signal: stop.signal,
    ...(file === undefined ? {} : { credentials: file.registries }),
  });
  return orRefuse(access, done);
}

interface PushOptions extends CommonOptions {
  readonly tag: string;
  readonly adoptExisting?: boolean;
}

async function push(layout: string, options: PushOptions, command: Command): Promise<void> {
  const done = 'The package was not published';
  const access = await accessOf(options, done);
  if (access === undefined) return;
  const check = await checkOf(options, access, done, command);
  if (check === undefined) return;
  const { pushLayout } = await import('../../packages/release/push.js');
  const input = { layout, name: options.tag, adoptExisting: options.adoptExisting === true, ...check };
  const pushed = orRefuse(await pushLayout(access, input), done);
  if (pushed === undefined) return;
  if (options.json) sayJson(pushed);
  else console.log(`${pushed.tag} ${pushed.digest}${pushed.adopted ? ' (published before, kept)' : ''}`);
}

interface PromoteOptions extends CommonOptions {
  readonly addon: string;
  readonly channel: string;
  readonly tag: string;
  readonly event: string;
  readonly ref: string;
  readonly checkout: string;
}

async function promote(options: PromoteOptions, command: Command): Promise<void> {
  const done = 'The channel was not moved';
  const access = await accessOf(options, done);
  if (access === undefined) return;
  const check = await checkOf(options, access, done, command);
  if (check === undefined) return;
  const { promote: move } = await import('../../packages/release/promote.js');
  const { addon, channel, tag: name, event, ref, checkout } = options;
  const promoted = orRefuse(await move(access, { addon, channel, name, event, ref, checkout, ...check }), done);
  if (promoted === undefined) return;
  if (options.json) sayJson(promoted);
  else console.log(promoted.moved ? `${promoted.tag} ${promoted.digest}` : `${promoted.tag} stays: ${promoted.reason}`);
}

const common = (command: Command): Command =>
  command
    .addOption(repositoryOption())
    .addOption(
      new Option('--credentials <file>', 'credentials for registries (JSON, mode 0600)').env('CASTELLAN_CREDENTIALS'),
    )
    .option('--allow-loopback-http', 'allow plain HTTP to a registry at a literal loopback address')
    .option('--issuer <issuer>', 'who must have issued the identity that signed what is adopted or promoted')
    .option('--identity <identity>', 'the exact identity that must have signed it')
    .addOption(
      new Option('--sigstore-trusted-root <file>', 'trusted_root.json of a private Sigstore').env(
        'CASTELLAN_SIGSTORE_TRUSTED_ROOT',
      ),
    )
    .option('--json', 'print JSON');

export function addRegistryCommands(parent: Command): void {
  common(parent.command('push <layout>').description('publish a joined layout under an immutable tag'))
    .requiredOption('--tag <name>', 'its version, or sha- and the first 12 hex digits of its commit')
    .option('--adopt-existing', 'keep what an earlier run of the same version and commit published')
    .action(push);
  common(parent.command('promote').description('move the alias of a channel to a published package'))
    .requiredOption('--addon <id>', 'the add-on')
    .requiredOption('--channel <channel>', 'latest, development or a branch channel')
    .requiredOption('--tag <name>', 'the immutable name it shall point at')
    .requiredOption('--event <name>', 'what happened in the forge')
    .requiredOption('--ref <ref>', 'on which full ref')
    .option('--checkout <dir>', 'a checkout with the whole history', '.')
    .action(promote);
}
