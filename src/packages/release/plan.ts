/** The legs of one run of the package pipeline: which add-on is built for which platform, and what is published then (15:50-106,146-154). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Publication, type PublishEvent, publicationOf } from './channels.js';
import { enabledLegs, type PackageConfig, readPackageConfig } from './platforms.js';
import { repositoryOf } from './repository.js';

export interface Plan extends Publication {
  readonly publish: boolean;
  readonly legs: readonly { readonly addon: string; readonly platform: string; readonly runner: string }[];
  /** The add-ons that have legs. */
  readonly addons: readonly string[];
}

/** Left: why nothing may be built or published. A publishing event fails closed; another one only gets fewer legs. */
export function planOf(
  event: PublishEvent,
  configs: readonly PackageConfig[],
  repository: string | undefined,
): Either<string, Plan> {
  const publication = publicationOf(event);
  if (isLeft(publication)) return publication;
  const publish = publication.right.immutable !== undefined;
  const target =
    publish || (repository !== undefined && repository !== '') ? repositoryOf(repository) : right(undefined);
  if (isLeft(target)) return target;
  const legs = configs.flatMap((config) =>
    enabledLegs(config).map(({ platform, runner }) => ({ addon: config.id, platform, runner })),
  );
  const addons = [...new Set(legs.map(({ addon }) => addon))];
  const without = configs.find(({ id }) => !addons.includes(id));
  if (publish && without !== undefined)
    return left(`${without.id} has no enabled platform, and a release must not leave one add-on behind`);
  if (publish && legs.length === 0) return left('there is nothing to publish: the platform matrix is empty');
  return right({ ...publication.right, publish, legs, addons });
}

/**
 * Reads the configuration of every folder of `addons` that has a manifest. Left: one is missing or malformed, whatever the event;
 * a folder that was forgotten would otherwise stay behind in silence.
 */
export async function readConfigs(addons: string): Promise<Either<string, readonly PackageConfig[]>> {
  const names = await readdir(addons, { withFileTypes: true }).catch(() => undefined);
  if (names === undefined) return left(`${addons} cannot be read`);
  const configs: PackageConfig[] = [];
  for (const { name } of names.filter((entry) => entry.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const config = await readPackageConfig(join(addons, name, 'package/platforms.yaml'));
    if (isLeft(config)) return config;
    if (config.right.id !== name) return left(`${addons}/${name} has the configuration of ${config.right.id}`);
    configs.push(config.right);
  }
  return right(configs);
}
