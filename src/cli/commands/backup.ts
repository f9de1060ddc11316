import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { CliError } from '../client.ts';
import { printJson, printTable } from '../print.ts';

interface RestoreArguments {
  readonly at?: string;
  readonly to?: string;
  readonly from?: string;
  readonly series?: string;
  readonly phraseFile?: string;
  readonly yes?: boolean;
}

/** Adds the commands `ninefold backup`, `ninefold restore` and `ninefold rollback`. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('backups of the node: take one, list them, make them restorable');

  backup
    .command('now')
    .description('take a base backup now and wait for it')
    .action(async () => (await import('../backups.ts')).takeBackup());

  backup
    .command('drill')
    .description('restore a backup into a scratch folder, compare it with the running node, and print the result')
    .action(async () => (await import('../backups.ts')).runDrill());

  backup
    .command('list')
    .description('the backups in the target and the times that can be restored')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await (await import('../backups.ts')).listBackups();
      if (json) return printJson(rows);
      printTable(
        ['series', 'backup', 'restorable from', 'size', 'stored', 'node'],
        rows.map((row) => [row.series, row.id, row.finished_at, row.size, row.stored, row.node]),
      );
    });

  backup
    .command('phrase')
    .description('make a recovery phrase, with which another machine can restore the backups; it is shown once')
    .option('--yes', 'replace an earlier phrase without a question')
    .action(async ({ yes }: { yes?: boolean }) => {
      const backups = await import('../backups.ts');
      if ((await backups.hasPhrase()) && !yes) await confirm('The earlier phrase becomes invalid. Make a new one?');
      const phrase = await backups.makeRecoveryPhrase();
      process.stdout.write(`${phrase}\n`);
      process.stderr.write('Write this recovery phrase down and store it away from the node. It is not shown again.\n');
    });

  program
    .command('restore')
    .description('restore the node as it was at a time, from its backups; the node must not run')
    .option('--at <time>', 'the time, such as 2026-11-29T10:15:00Z; by default the latest that the backups reach')
    .option('--to <folder>', 'a new home; by default NINEFOLD_HOME, whose data folder is kept beside the restored one')
    .option('--from <target>', 'the folder or the S3 bucket of the backups; by default NINEFOLD_BACKUP_URL')
    .option('--series <id>', 'the series, as ninefold backup list shows it; by default the newest')
    .option(
      '--phrase-file <file>',
      'a file with the recovery phrase, - for standard input; not needed in the home of the backups',
    )
    .option('--yes', 'restore into a home that has data, without a question')
    .action(async ({ at, to, from, series, phraseFile, yes }: RestoreArguments) => {
      const backups = await import('../backups.ts');
      const phrase = phraseFile === undefined ? null : await readPhraseFile(phraseFile);
      await backups.restore({
        ...{ at: at ?? null, to: to ?? null, from: from ?? null, series: series ?? null, phrase },
        confirm: (question) => (yes ? Promise.resolve() : confirm(question)),
      });
    });

  program
    .command('rollback')
    .description('return to the time before the last update of Ninefold; the node must not run')
    .option('--yes', 'without a question')
    .action(async ({ yes }: { yes?: boolean }) =>
      (await import('../backups.ts')).rollBack((question) => (yes ? Promise.resolve() : confirm(question))),
    );
}

async function readPhraseFile(file: string): Promise<string> {
  if (file !== '-') return readFile(file, 'utf8');
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** @throws CliError unless the person at the terminal answers yes. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CliError(`${question} Repeat the command with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.');
}
