/**
 * A process that runs the embedded PostgreSQL of a home as Ninefold's primary does, for tests that kill it:
 * `node postgres-child.mjs HOME PASSWORD`. Prints the URL, or the sentence of a StartError, as one line.
 */
import { startEmbeddedPostgres } from '../../src/postgres/embedded.ts';
import { StartError } from '../../src/postgres/start-error.ts';

const [home = '', password = ''] = process.argv.slice(2);

try {
  const postgres = await startEmbeddedPostgres({ home, port: 0, password, log: () => undefined });
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(0)));
  process.stdout.write(`${postgres.url}\n`);
} catch (error) {
  process.stdout.write(`${error instanceof StartError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
