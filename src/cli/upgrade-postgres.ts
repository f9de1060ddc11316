import { ensureSecrets, readConfig } from '../compose/configuration.ts';
import { isForOperator, upgradePostgres } from '../compose/upgrade-postgres.ts';
import { CliError } from './client.ts';
import { bytesInWords } from './print.ts';

/** Pause between two lines of progress. */
const PROGRESS_MILLISECONDS = 2000;

/**
 * Moves all apps of the home to the installed major version of PostgreSQL, and prints the progress.
 * @param olderPrograms Folder with the programs of the older version.
 * @throws CliError
 */
export async function upgrade(olderPrograms: string): Promise<void> {
  const config = readConfig();
  const say = (line: string) => process.stderr.write(`${line}\n`);
  let shownAt = 0;
  const result = await upgradePostgres(config, ensureSecrets(config), olderPrograms, {
    onApp: ({ ref, number, total }) => say(`App ${number} of ${total}: ${ref}`),
    onStep: ({ step, bytes, totalBytes }) => {
      if (step !== 'rows' || Date.now() - shownAt < PROGRESS_MILLISECONDS) return;
      shownAt = Date.now();
      say(`  ${bytesInWords(bytes)} of about ${bytesInWords(totalBytes)}`);
    },
    onWarning: say,
  }).catch((error: unknown) => {
    throw isForOperator(error) ? new CliError((error as Error).message) : error;
  });
  process.stdout.write(
    result === null
      ? 'The data folder has the installed major version of PostgreSQL.\n'
      : `${result.apps} apps with ${result.rows} rows moved from PostgreSQL ${result.from} to ${result.to}. The older data folder is ${result.olderFolder}: delete it once the node works.\n`,
  );
}
