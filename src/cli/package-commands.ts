/** `castellan package ...`: tells an add-on author what would be refused, and makes packages (wire, "Command line"). */
import type { Command } from 'commander';
import { addLayoutCommands } from './package/layouts.js';
import { addRegistryCommands } from './package/registry.js';
import { addReleaseCommands } from './package/release.js';

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

export function addPackageCommands(program: Command): void {
  const command = program.command('package').description('check and make add-on packages');
  command
    .command('lint <paths...>')
    .description('say everything that would be refused about manifests (files) or packages (folders)')
    .option('--json', 'print JSON, one line a path')
    .action(lint);
  addLayoutCommands(command);
  addReleaseCommands(command);
  addRegistryCommands(command);
}
