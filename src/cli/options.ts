/** The flags of `castellan run`, each with its environment variable, judged before anything is opened (wire, "Command line"). */

import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { addBackendOptions, type BackendOptions, backendOptions, type RawBackendOptions } from './backends.js';
import { type HostOpsChoice, hostOpsChoice } from './host-policy.js';

export interface RunOptions {
  readonly host: string;
  readonly port: number;
  readonly externalUrl?: URL;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly tls?: { readonly certPath: string; readonly keyPath: string };
  readonly dataPath: string;
  readonly officialLibrary: boolean;
  readonly officialLibraries: boolean;
  readonly backends: BackendOptions;
  readonly credentialsPath?: string;
  readonly trustedRootPath?: string;
  readonly hostOps: HostOpsChoice;
  readonly localConfirmCode: boolean;
  readonly logLevel: string;
}

export interface RawOptions extends RawBackendOptions {
  readonly address: string;
  readonly externalUrl?: string;
  readonly allowedHost: string[];
  readonly trustedProxy: string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly dataPath: string;
  readonly auth: boolean;
  readonly addonsOwnershipMode?: string;
  readonly addonsRole: string;
  readonly addonsOfficialLibrary: boolean;
  readonly officialLibraries: boolean;
  readonly credentials?: string;
  readonly sigstoreTrustedRoot?: string;
  readonly addonHostOps?: string;
  readonly addonHostPolicy?: string;
  readonly journal: string;
  readonly localConfirmCode: boolean;
  readonly allowUnauthenticatedNetwork: boolean;
  readonly logLevel: string;
}

const list = (value: string, before: string[]) => [
  ...before,
  ...value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
];
/** A switch may stand alone, or say yes or no, as its variable must: `VARIABLE=0` turns nothing on. */
const toggle = (name: string, description: string) =>
  new Option(`--${name} [yes-or-no]`, description).preset('yes').argParser(truth);

function truth(value: string): boolean {
  if (['1', 'true', 'on', 'yes'].includes(value.toLowerCase())) return true;
  if (['0', 'false', 'off', 'no'].includes(value.toLowerCase())) return false;
  throw new InvalidArgumentError('It must be yes or no.');
}

function notEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

/** Where the data lives; shared by every command that needs the journal. */
export const dataPathOption = () =>
  new Option('--data-path <dir>', 'where everything is kept')
    .env('LOCALAI_DATA_PATH')
    .argParser(notEmpty)
    .default('./data');

export function addRunOptions(command: Command): Command {
  return addBackendOptions(command, toggle)
    .addOption(
      new Option('--address <host:port>', 'address to listen on').env('CASTELLAN_ADDRESS').default('127.0.0.1:8080'),
    )
    .addOption(
      new Option('--external-url <url>', 'the address people use in their browser').env('CASTELLAN_EXTERNAL_URL'),
    )
    .addOption(
      new Option('--allowed-host <name>', 'a further name this server answers to (repeatable)')
        .env('CASTELLAN_ALLOWED_HOSTS')
        .argParser(list)
        .default([]),
    )
    .addOption(new Option('--tls-cert <file>', 'certificate chain (PEM)').env('CASTELLAN_TLS_CERT'))
    .addOption(new Option('--tls-key <file>', 'private key (PEM)').env('CASTELLAN_TLS_KEY'))
    .addOption(
      new Option('--trusted-proxy <ip>', 'a proxy whose X-Forwarded-* headers count (repeatable)')
        .env('CASTELLAN_TRUSTED_PROXIES')
        .argParser(list)
        .default([]),
    )
    .addOption(dataPathOption())
    .addOption(toggle('auth', 'named users with accounts').env('LOCALAI_AUTH').default(false))
    .addOption(
      new Option('--addons-ownership-mode <mode>', 'local-owner or named-user').env('LOCALAI_ADDONS_OWNERSHIP_MODE'),
    )
    .addOption(new Option('--addons-role <role>', 'combined').env('LOCALAI_ADDONS_ROLE').default('combined'))
    .addOption(
      toggle('addons-official-library', 'register the built-in library on the first start')
        .env('LOCALAI_ADDONS_OFFICIAL_LIBRARY')
        .default(true),
    )
    .addOption(
      toggle(
        'official-libraries',
        'use the sources that ship with the product, until somebody switches them in the page',
      )
        .env('LOCALAI_OFFICIAL_LIBRARIES')
        .default(true),
    )
    .addOption(
      new Option('--credentials <file>', 'credentials for libraries and registries (JSON, mode 0600)')
        .env('CASTELLAN_CREDENTIALS')
        .argParser(notEmpty),
    )
    .addOption(
      new Option(
        '--sigstore-trusted-root <file>',
        'trusted_root.json of a private Sigstore; without it, the public one counts',
      )
        .env('CASTELLAN_SIGSTORE_TRUSTED_ROOT')
        .argParser(notEmpty),
    )
    .addOption(
      new Option('--addon-host-ops <pairs>', 'who may call which host operations: id=prefix., id=prefix.').env(
        'LOCALAI_ADDON_HOST_OPS',
      ),
    )
    .addOption(
      new Option('--addon-host-policy <file>', 'the same as a JSON file, read once at the start').env(
        'LOCALAI_ADDON_HOST_POLICY',
      ),
    )
    .addOption(new Option('--journal <kind>', 'where the journal is kept').env('CASTELLAN_JOURNAL').default('lmdb'))
    .addOption(
      toggle('local-confirm-code', 'confirmations need a code from this terminal')
        .env('CASTELLAN_LOCAL_CONFIRM_CODE')
        .default(false),
    )
    .addOption(
      new Option('--allow-unauthenticated-network', 'listen on a network address with authentication off').default(
        false,
      ),
    )
    .addOption(
      new Option('--log-level <level>', 'how much to log')
        .env('CASTELLAN_LOG_LEVEL')
        .choices(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .default('info'),
    );
}

/** The judged options, or one sentence that names the flag that is wrong. */
export function judge(raw: RawOptions): Either<string, RunOptions> {
  const address = parseAddress(raw.address);
  if (address === undefined) return left('--address must be HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080.');
  if (raw.auth) return left('--auth is not available in this version: it runs for the local owner only.');
  if (raw.addonsOwnershipMode !== undefined && raw.addonsOwnershipMode !== 'local-owner')
    return left('--addons-ownership-mode must be local-owner while authentication is off.');
  if (raw.addonsRole !== 'combined') return left('--addons-role must be combined in this version.');
  if (raw.journal !== 'lmdb') return left('--journal must be lmdb.');
  if ((raw.tlsCert === undefined) !== (raw.tlsKey === undefined))
    return left('--tls-cert and --tls-key belong together.');
  if (!isLoopback(address.host) && !raw.allowUnauthenticatedNetwork)
    return left(
      `--address ${raw.address} can be reached from the network, and authentication is off: anyone who reaches it could install add-ons and confirm changes. Use a loopback address, or add --allow-unauthenticated-network if the network is private.`,
    );
  const externalUrl = raw.externalUrl === undefined ? undefined : parseUrl(raw.externalUrl);
  if (raw.externalUrl !== undefined && externalUrl === undefined)
    return left('--external-url must be http(s)://HOST[:PORT] without a path, query or credentials.');
  const proxy = raw.trustedProxy.find((ip) => isIP(ip) === 0);
  if (proxy !== undefined) return left('--trusted-proxy must be a literal IP address.');
  const badHost = raw.allowedHost.find((name) => !/^[a-z0-9._-]+$/i.test(name) && isIP(name) === 0);
  if (badHost !== undefined) return left('--allowed-host must be a host name without a scheme or port.');
  const hostOps = hostOpsChoice(raw.addonHostOps, raw.addonHostPolicy);
  if (isLeft(hostOps)) return hostOps;
  return right({
    ...address,
    ...(externalUrl === undefined ? {} : { externalUrl }),
    allowedHosts: raw.allowedHost.map((name) => name.toLowerCase()),
    trustedProxies: raw.trustedProxy,
    ...(raw.tlsCert === undefined || raw.tlsKey === undefined
      ? {}
      : { tls: { certPath: raw.tlsCert, keyPath: raw.tlsKey } }),
    dataPath: raw.dataPath,
    officialLibrary: raw.addonsOfficialLibrary,
    officialLibraries: raw.officialLibraries,
    backends: backendOptions(raw),
    ...(raw.credentials === undefined ? {} : { credentialsPath: raw.credentials }),
    ...(raw.sigstoreTrustedRoot === undefined ? {} : { trustedRootPath: raw.sigstoreTrustedRoot }),
    hostOps: hostOps.right,
    localConfirmCode: raw.localConfirmCode,
    logLevel: raw.logLevel,
  });
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

function parseUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const bare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return bare && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
