#!/usr/bin/env node
/** The `castellan` command: parses the line and loads only what the command needs. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addJournalCommands } from './journal-commands.js';
import { addLibraryCommands } from './library-commands.js';
import { addRunOptions, judge, type RawOptions } from './options.js';
import { addPackageCommands } from './package-commands.js';

/** Exit codes (wire, "Command line"). */
const REFUSED = 1;
const USAGE = 2;

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function program(): Command {
  const root = new Command('castellan')
    .description(
      'Owns add-ons for an AI server: verified packages, supervised processes, changes confirmed by a person.',
    )
    .version(version())
    // Or `package build --version 1.2.3` would print the version of this program.
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(castellan --help lists the commands)');
  addRunOptions(root.command('run').description('start the server')).action(async (raw: RawOptions) => {
    const options = judge(raw);
    if (options._tag === 'Left') {
      console.error(options.left);
      process.exitCode = USAGE;
      return;
    }
    const { run } = await import('./run.js');
    process.exitCode = await run(options.right, version());
  });
  addLibraryCommands(root);
  addJournalCommands(root);
  addPackageCommands(root);
  return root;
}

/** Whoever reads the output may have seen enough: `castellan journal tail | head -1` is no fault. */
const isClosedPipe = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EPIPE';

// The server logs past this stream, so that a reader of its log who leaves does not end it.
process.stdout.on('error', (error) => {
  if (!isClosedPipe(error)) throw error;
  process.exit();
});

try {
  await program().parseAsync();
} catch (error) {
  if (isClosedPipe(error)) process.exit();
  if (!(error instanceof CommanderError)) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = REFUSED;
  } else if (error.exitCode !== 0) {
    process.exitCode = USAGE;
  }
}
