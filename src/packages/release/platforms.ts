/** The configuration of an add-on's package, `addons/<id>/package/platforms.yaml`: what is packed and for which platforms (15:15-19,50-68). */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { closed, type Either, isLeft, left, right, t } from '../../contract/fp.js';
import { isName, isPackagePath } from '../../contract/manifest/words.js';
import { platformParts } from '../layout/formats.js';
import { parseStrictYaml } from '../strict-yaml.js';

/** What every enabled platform must have passed on a runner of that platform. */
export const NATIVE_CHECK = 'executable-start';
export const DEFAULT_CONFIG = 'addons/tables/package/platforms.yaml';
const MAX_CONFIG_BYTES = 65_536;

export interface PlatformLeg {
  /** `linux/amd64`. */
  readonly platform: string;
  /** The native runner that builds and checks it. */
  readonly runner: string;
  readonly enabled: boolean;
  /** When the native check passed there, as a date; an enabled platform has one. */
  readonly checked?: string;
}

export interface PackageConfig {
  readonly id: string;
  /** The folder of its main program below `addons/<id>/cmd`. */
  readonly executable: string;
  /** The folder of its page and of its skills, from the top of the checkout. */
  readonly ui?: string;
  readonly skills?: string;
  /** Files beside the entrypoint, by their path in the package. */
  readonly runtime: readonly string[];
  readonly platforms: readonly PlatformLeg[];
  /** The top of the checkout: the folder that holds `addons`. */
  readonly root: string;
}

const Leg = closed(
  'platform',
  { platform: t.string, runner: t.string, enabled: t.boolean },
  { checks: t.record(t.string, t.string) },
);
const Config = closed(
  'package configuration',
  { addon: t.string, executable: t.string, platforms: t.readonlyArray(Leg) },
  { ui: t.string, skills: t.string, runtime: t.readonlyArray(t.string) },
);

/** Reads and judges the file `path`. Left: what is wrong with it, as a sentence part that names the file. */
export async function readPackageConfig(path: string): Promise<Either<string, PackageConfig>> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return left(`${path} cannot be read`);
  const config = parsePackageConfig(bytes, resolve(dirname(path), '../../..'));
  return isLeft(config) ? left(`${path}: ${config.left}`) : config;
}

/** The same from bytes; `root` is the top of the checkout. */
export function parsePackageConfig(bytes: Uint8Array, root: string): Either<string, PackageConfig> {
  if (bytes.byteLength > MAX_CONFIG_BYTES) return left('it is larger than 64 KiB');
  const yaml = parseStrictYaml(bytes);
  if (isLeft(yaml)) return yaml;
  const decoded = Config.decode(yaml.right.value);
  if (isLeft(decoded)) return left('it does not have the fields of a package configuration');
  const { addon: id, executable, ui, skills, runtime = [], platforms } = decoded.right;
  if (!isName(id) || !isName(executable)) return left('its add-on or its executable is no lower-case name');
  const paths = [...runtime, ...[ui, skills].filter((path) => path !== undefined)];
  if (paths.some((path) => !isPackagePath(path))) return left('a path in it is not a plain relative path');
  const legs: PlatformLeg[] = [];
  for (const leg of platforms) {
    const problem = legProblem(leg, legs);
    if (problem !== undefined) return left(problem);
    const checked = leg.checks?.[NATIVE_CHECK];
    const { platform, runner, enabled } = leg;
    legs.push({ platform, runner, enabled, ...(checked === undefined ? {} : { checked }) });
  }
  if (legs.length === 0) return left('it lists no platform');
  const folders = { ...(ui === undefined ? {} : { ui }), ...(skills === undefined ? {} : { skills }) };
  return right({ id, executable, ...folders, runtime, platforms: legs, root });
}

function legProblem(leg: t.TypeOf<typeof Leg>, before: readonly PlatformLeg[]): string | undefined {
  if (platformParts(leg.platform) === undefined) return 'a platform in it is not written as os/arch';
  if (before.some(({ platform }) => platform === leg.platform)) return `it lists ${leg.platform} twice`;
  if (!/^[a-z0-9][a-z0-9.-]{0,63}$/.test(leg.runner)) return `${leg.platform} has no native runner`;
  const other = Object.keys(leg.checks ?? {}).find((check) => check !== NATIVE_CHECK);
  if (other !== undefined) return `${leg.platform} names a check that is not known`;
  const checked = leg.checks?.[NATIVE_CHECK];
  if (checked !== undefined && !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(checked))
    return `the check of ${leg.platform} has no date such as 2026-11-30`;
  // A platform nobody ever started the executable on is not shipped (15:52-56).
  return leg.enabled && checked === undefined
    ? `${leg.platform} is enabled without a recorded ${NATIVE_CHECK} check`
    : undefined;
}

/** The platforms that are shipped. */
export const enabledLegs = (config: PackageConfig): readonly PlatformLeg[] =>
  config.platforms.filter(({ enabled }) => enabled);

/** Where an add-on's manifest and programs stand in a checkout. */
export const addonFolder = (config: PackageConfig): string => join(config.root, 'addons', config.id);
