/** `castellan package ...`: tells an add-on author what would be refused, and makes packages (wire, "Command line"). */
import type { Command } from 'commander';

interface LintOptions {
  readonly json?: boolean;
}

/** One line a path; exit 1 when any is bad. Judged against this host too. */
async function lint(paths: readonly string[], options: LintOptions): Promise<void> {
  const [{ lintLine, lintPath }, { hostProfile }] = await Promise.all([
    import('../packages/lint.js'),
    import('../contract/manifest.js'),
  ]);
  const host = hostProfile(process.platform, process.arch);
  for (const path of paths) {
    const report = await lintPath(path, host);
    if (!report.ok) process.exitCode = 1;
    if (options.json) {
      console.log(lintLine(report));
      continue;
    }
    console.log(report.ok ? `${path}: good` : `${path}: ${report.problems.length} to mend`);
    for (const problem of report.problems) console.log(`  ${problem.path} (${problem.rule}): ${problem.message}`);
  }
}

async function build(directory: string, out: string, options: LintOptions): Promise<void> {
  const { buildPackage } = await import('../packages/builder/package-build.js');
  const built = await buildPackage(directory, out);
  if (built._tag === 'Left') {
    console.error(`The package was not made: ${built.left}.`);
    process.exitCode = 1;
    return;
  }
  const { digest, size, manifest } = built.right;
  const made = { file: out, digest, size, id: manifest.id, version: manifest.version };
  console.log(options.json ? JSON.stringify(made) : `${out}\n${digest}\n${size} bytes`);
}

export function addPackageCommands(program: Command): void {
  const command = program.command('package').description('check and make add-on packages');
  command
    .command('lint <paths...>')
    .description('say everything that would be refused about manifests (files) or packages (folders)')
    .option('--json', 'print JSON, one line a path')
    .action(lint);
  command
    .command('build <folder> <file>')
    .description('make the package of a folder; the same content always gives the same digest')
    .option('--json', 'print JSON')
    .action(build);
}
