import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { AppSummary } from '../../../contract/admin.ts';
import { serverRights } from '../../../contract/server-rights.ts';
import type { AppMove, ServerSummary } from '../../../contract/servers.ts';
import { CliError, type Client, connect } from '../client.ts';
import { bytesInWords, printJson, printTable } from '../print.ts';

/** Adds the commands `ninefold servers …`. */
export function addServerCommands(program: Command): void {
  const servers = program.command('servers').description('the PostgreSQL servers on which apps live');

  servers
    .command('list')
    .description('all servers with their apps; `own` has the console')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const list = await connect().get<ServerSummary[]>('/servers');
      if (json) return printJson(list);
      printTable(
        ['ref', 'state', 'apps', 'postgres', 'connections', 'size', 'lacks'],
        list.map(({ ref, state, apps, is_up, version, connections, max_connections, size_bytes, missing_rights }) => [
          ref,
          is_up ? state : `${state}, DOWN`,
          String(apps),
          version ?? '',
          connections === null ? '' : `${connections} of ${max_connections}`,
          size_bytes === null ? '' : bytesInWords(size_bytes),
          missing_rights.map((right) => serverRights[right].lacks).join('; '),
        ]),
      );
    });

  servers
    .command('add')
    .description('add a server; the node creates its roles and its template there')
    .argument('<ref>', 'a short name for the server')
    .argument(
      '<url>',
      'postgres://user:password@host:port/database, or @FILE with the URL, which then stands in no list of processes',
    )
    .action(async (ref: string, url: string) => {
      const value = url.startsWith('@') ? readFileSync(url.slice(1), 'utf8').trim() : url;
      await connect().post('/servers', { ref, url: value });
      process.stdout.write(`New apps can live on ${ref}.\n`);
    });

  servers
    .command('drain')
    .description('let no new apps live on a server, and move its apps to the others, one after the other')
    .argument('<ref>', 'the server')
    .action(async (ref: string) => drain(connect(), ref));

  servers
    .command('activate')
    .description('let new apps live on a drained server again')
    .argument('<ref>', 'the server')
    .action(async (ref: string) => {
      await connect().patch(`/servers/${encodeURIComponent(ref)}`, { state: 'active' });
    });

  servers
    .command('remove')
    .description('take a server without apps away from the node; its databases stay')
    .argument('<ref>', 'the server')
    .action(async (ref: string) => {
      await connect().delete(`/servers/${encodeURIComponent(ref)}`);
    });
}

/** Adds the command `ninefold apps move`. @param apps The command `ninefold apps`. */
export function addMoveCommand(apps: Command): void {
  apps
    .command('move')
    .description('move an app to another PostgreSQL server; its calls wait until the copy is complete')
    .argument('<ref>', 'the app')
    .argument('<server>', 'the target, as `ninefold servers list` prints it')
    .action(async (ref: string, server: string) => {
      const path = `/servers/${encodeURIComponent(server)}/apps`;
      const { moved, tables, rows, closed_ms } = await connect().post<AppMove>(path, { ref });
      process.stdout.write(
        moved
          ? `${ref} lives on ${server}: ${tables} tables and ${rows} rows copied, closed for ${(closed_ms / 1000).toFixed(1)} s.\n`
          : `${ref} is on ${server} already.\n`,
      );
    });
}

/** Moves all apps away from a server. It can be run again after it was interrupted. */
async function drain(client: Client, ref: string): Promise<void> {
  await client.patch(`/servers/${encodeURIComponent(ref)}`, { state: 'draining' });
  const apps = (await client.get<AppSummary[]>('/apps')).filter(({ server }) => server === ref);
  for (const [i, app] of apps.entries()) {
    const targets = (await client.get<ServerSummary[]>('/servers')).filter(
      (server) => server.ref !== ref && server.state === 'active' && server.is_up,
    );
    const [target] = targets.toSorted((a, b) => a.apps - b.apps);
    if (!target) throw new CliError(`No other server takes the apps of ${ref}.`);
    const path = `/servers/${encodeURIComponent(target.ref)}/apps`;
    const { rows, closed_ms } = await client.post<AppMove>(path, { ref: app.ref });
    process.stdout.write(
      `${i + 1} of ${apps.length}: ${app.ref} lives on ${target.ref}, ${rows} rows, closed for ${(closed_ms / 1000).toFixed(1)} s\n`,
    );
  }
  process.stdout.write(`${ref} has no apps.\n`);
}
