/** `castellan package build|join|verify|extract`: OCI layouts of packages. Nothing here opens a connection (15:9-48). */
import { type Command, InvalidArgumentError } from 'commander';
import type { VerifiedLayout } from '../../packages/layout/layout-verify.js';
import { orRefuse, sayJson } from './say.js';

interface BuildOptions {
  readonly layout?: string;
  readonly version?: string;
  readonly platform?: string;
  readonly config?: string;
  readonly executable?: string;
  readonly revision?: string;
  readonly json?: boolean;
}

async function build(folder: string | undefined, file: string | undefined, options: BuildOptions, command: Command) {
  const { layout, version, platform, config, executable, revision } = options;
  if (layout === undefined) {
    if (folder === undefined || file === undefined)
      command.error('error: give a folder and a file, or --layout with --version and --platform');
    return buildArchive(folder, file, options.json === true);
  }
  if (version === undefined || platform === undefined || file !== undefined)
    command.error('error: --layout needs --version and --platform, and no file');
  if (folder !== undefined && (config !== undefined || executable !== undefined))
    command.error('error: a folder is the whole package; --config and --executable are for a checkout');
  const [{ packageImage }, { DEFAULT_CONFIG }] = await Promise.all([
    import('../../packages/release/package-input.js'),
    import('../../packages/release/platforms.js'),
  ]);
  const checkout = { config: config ?? DEFAULT_CONFIG, ...(executable === undefined ? {} : { executable }) };
  const from = folder === undefined ? checkout : { folder };
  const input = { from, version, platform, ...(revision === undefined ? {} : { revision }) };
  const built = orRefuse(await packageImage(input, layout), 'The package was not made');
  if (built !== undefined) say(layout, built, options.json === true);
}

/** An archive for a plain web server, without a registry. */
async function buildArchive(directory: string, out: string, json: boolean): Promise<void> {
  const { buildPackage } = await import('../../packages/builder/package-build.js');
  const built = orRefuse(await buildPackage(directory, out), 'The package was not made');
  if (built === undefined) return;
  const { digest, size, manifest } = built;
  if (json) sayJson({ file: out, digest, size, id: manifest.id, version: manifest.version });
  else console.log(`${out}\n${digest}\n${size} bytes`);
}

interface LayoutOptions {
  readonly layout: string;
  readonly id?: string;
  readonly version?: string;
  readonly platform: readonly string[];
  readonly config?: string;
  readonly json?: boolean;
}

async function expectedOf({ id, version, platform, config }: Omit<LayoutOptions, 'layout'>) {
  const { readPackageConfig } = await import('../../packages/release/platforms.js');
  const read = config === undefined ? undefined : orRefuse(await readPackageConfig(config), 'Nothing was verified');
  if (config !== undefined && read === undefined) return undefined;
  return {
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
    ...(platform.length === 0 ? {} : { platforms: platform }),
    ...(read === undefined ? {} : { id: read.id, runtime: read.runtime }),
  };
}

async function verify(layout: string, options: Omit<LayoutOptions, 'layout'>): Promise<void> {
  const { verifyLayout } = await import('../../packages/layout/layout-verify.js');
  const expected = await expectedOf(options);
  if (expected === undefined) return;
  const verified = orRefuse(await verifyLayout(layout, expected), 'The layout is refused');
  if (verified !== undefined) say(layout, verified, options.json === true);
}

async function join(layouts: readonly string[], { layout, ...options }: LayoutOptions): Promise<void> {
  const { joinLayouts } = await import('../../packages/layout/join.js');
  const expected = await expectedOf(options);
  if (expected === undefined) return;
  const joined = orRefuse(await joinLayouts(layouts, layout, expected), 'The layouts were not joined');
  if (joined !== undefined) say(layout, joined, options.json === true);
}

async function extract(layout: string, out: string, options: { readonly platform?: string; readonly json?: boolean }) {
  const { extractLayout } = await import('../../packages/layout/extract.js');
  const image = orRefuse(await extractLayout(layout, out, options.platform), 'Nothing was extracted');
  if (image === undefined) return;
  const { id, version } = image.manifest;
  if (options.json) sayJson({ folder: out, id, version, platform: image.platform, files: image.files.length });
  else console.log(`${out}: ${id} ${version} for ${image.platform}, ${image.files.length} files`);
}

function say(layout: string, { id, version, images, index, revision }: VerifiedLayout, json: boolean): void {
  const made = images.map(({ platform, blob }) => ({ platform, digest: blob.digest }));
  const commit = revision === undefined ? {} : { revision };
  const top = index === undefined ? {} : { index: index.blob.digest };
  if (json) sayJson({ layout, id, version, ...commit, ...top, images: made });
  else
    console.log(
      [
        `${layout}: ${id} ${version}`,
        ...made.map(({ platform, digest }) => `${platform} ${digest}`),
        ...Object.values(top).map((digest) => `index ${digest}`),
      ].join('\n'),
    );
}

const repeated = (value: string, before: readonly string[]): readonly string[] => {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  return [...before, value];
};

const expecting = (command: Command): Command =>
  command
    .option('--id <id>', 'the add-on it must be of')
    .option('--version <version>', 'the version it must have')
    .option('--platform <os/arch>', 'a platform it must be for, and no other (repeatable)', repeated, [])
    .option('--config <file>', 'the platforms.yaml whose add-on and runtime files it must have')
    .option('--json', 'print JSON');

export function addLayoutCommands(parent: Command): void {
  parent
    .command('build [folder] [file]')
    .description('make the package of a folder or a checkout; the same content always gives the same digest')
    .option('--layout <dir>', 'write an OCI layout for a registry instead of an archive')
    .option('--version <version>', 'the version of the package (with --layout)')
    .option('--platform <os/arch>', 'its platform, such as linux/amd64 (with --layout)')
    .option('--config <file>', 'the platforms.yaml of an add-on in a checkout; without it and a folder, that of Tables')
    .option('--executable <file>', 'the program, built before; without it the program is built here')
    .option('--revision <commit>', 'the commit it was made from')
    .option('--json', 'print JSON')
    .action(build);
  expecting(parent.command('verify <layout>').description('check everything about an OCI layout of packages')).action(
    verify,
  );
  expecting(parent.command('join <layouts...>').description('join the layouts of several platforms under one index'))
    .requiredOption('--layout <dir>', 'where to write the joined layout')
    .action(join);
  parent
    .command('extract <layout> <folder>')
    .description('verify an OCI layout and lay its files out in a folder')
    .option('--platform <os/arch>', 'the platform, when the layout has several')
    .option('--json', 'print JSON')
    .action(extract);
}
