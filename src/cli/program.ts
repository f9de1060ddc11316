import { setImmediate } from 'node:timers/promises';
import { Command } from 'commander';
import { defaultWords, environment, limitVariables } from '../../contract/environment.ts';
import { ConfigError, version } from '../compose/configuration.ts';
import { CliError } from './client.ts';
import { addAppCommands } from './commands/apps.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addBuilderCommands } from './commands/builders.ts';
import { addFunctionCommands } from './commands/functions.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addMemberCommands } from './commands/members.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addRealtimeCommands } from './commands/realtime.ts';
import { addServerCommands } from './commands/servers.ts';
import { addSettingsCommand } from './commands/settings.ts';
import { addSiteCommand } from './commands/site.ts';
import { addSpecCommand } from './commands/spec.ts';
import { addSqlCommand } from './commands/sql.ts';
import { addStatusCommand } from './commands/status.ts';
import { addStorageCommands } from './commands/storage.ts';
import { addTypesCommand } from './commands/types.ts';
import { addUpgradePostgresCommand } from './commands/upgrade-postgres.ts';

/**
 * Runs the command in the arguments. Exit codes: 0 success, 1 failure, 2 wrong usage. Comparisons of specifications
 * have their own exit codes.
 */
export async function runCli(argv: readonly string[]): Promise<void> {
  const program = new Command('ninefold')
    .description('Sign-in, sessions and PostgreSQL for any number of web apps.')
    .version(version)
    .showHelpAfterError('(see ninefold --help)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  program
    .command('start')
    .description('start the node')
    .addHelpText('after', variableHelp)
    .action(async () => (await import('./start.ts')).start());
  addStatusCommand(program);
  addAppCommands(program);
  addBackupCommands(program);
  addServerCommands(program);
  addBuilderCommands(program);
  addSettingsCommand(program);
  addKeyCommands(program);
  addSqlCommand(program);
  addMigrateCommand(program);
  addSpecCommand(program);
  addTypesCommand(program);
  addMemberCommands(program);
  addSiteCommand(program);
  addFunctionCommands(program);
  addStorageCommands(program);
  addRealtimeCommands(program);
  addUpgradePostgresCommand(program);
  process.stdout.on('error', endWithoutOutput);
  // Ignores output that cannot be written, for example because the disk is full.
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

/**
 * Returns true for the error of a failed system call, such as a full disk or a file without write permission. Its
 * message is understandable without a stack.
 */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error;

/**
 * Ends a command whose output cannot be written. It is no error if the reader has closed the pipe, as `head` does. A
 * node does not use process.stdout, because it must go on.
 */
function endWithoutOutput(error: Error & { code?: string }): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`ninefold: The output cannot be written: ${error.message}\n`);
  process.exit(1);
}

/**
 * Waits until all output was written. A pipe accepts 64 KiB at once, and the rest would be lost when the process exits.
 */
async function printed(): Promise<void> {
  // The event `error` of a failed write follows the current operation.
  await setImmediate();
  const unfinished = [process.stdout, process.stderr].filter(({ writableLength }) => writableLength > 0);
  await Promise.all(unfinished.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
}

/** Returns the list of the environment variables of a node, for `ninefold start --help`. */
function variableHelp(): string {
  const lines = [...Object.values(environment), ...Object.values(limitVariables)].map(
    (variable) => `  ${variable.name}\n    ${variable.meaning} Default: ${defaultWords(variable)}.`,
  );
  return `\nEnvironment variables:\n${lines.join('\n')}`;
}
