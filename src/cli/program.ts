import { Command } from 'commander';
import { ConfigError, version } from '../compose/configuration.ts';
import { CliError } from './client.ts';
import { addAppCommands } from './commands/apps.ts';
import { addBuilderCommands } from './commands/builders.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addMemberCommands } from './commands/members.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addSettingsCommand } from './commands/settings.ts';
import { addSpecCommand } from './commands/spec.ts';
import { addSqlCommand } from './commands/sql.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTypesCommand } from './commands/types.ts';

/** Runs the command that the arguments name. Exit codes: 0 done, 1 refused or failed, 2 wrong usage;
 * comparisons of specifications have their own. */
export async function runCli(argv: readonly string[]): Promise<void> {
  const program = new Command('ninefold')
    .description('Sign-in, sessions and Postgres for any number of web apps.')
    .version(version)
    .showHelpAfterError('(see ninefold --help)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  program
    .command('start')
    .description('start the node')
    .action(async () => (await import('./start.ts')).start());
  addStatusCommand(program);
  addAppCommands(program);
  addBuilderCommands(program);
  addSettingsCommand(program);
  addKeyCommands(program);
  addSqlCommand(program);
  addMigrateCommand(program);
  addSpecCommand(program);
  addTypesCommand(program);
  addMemberCommands(program);
  // A reader that closes the pipe, as `head` does, has read enough.
  process.stdout.on('error', () => process.exit());
  // Output that cannot be written, on a full disk for one, is lost.
  process.stderr.on('error', () => undefined);
  try {
    await program.parseAsync([...argv]);
    await printed();
    process.exit();
  } catch (error) {
    const code = error instanceof CliError && error.code ? ` (${error.code})` : '';
    const known = error instanceof CliError || error instanceof ConfigError || isOfSystem(error);
    process.stderr.write(
      known ? `ninefold: ${(error as Error).message}${code}\n` : `${String((error as Error).stack)}\n`,
    );
    await printed();
    process.exit(error instanceof CliError ? error.exitCode : 1);
  }
}

/** A failed system call, whose message is a sentence: a full disk, a file that may not be written. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error;

/** A pipe takes 64 KiB at once, and what still waits for its reader would end with the process. */
const printed = () =>
  Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
