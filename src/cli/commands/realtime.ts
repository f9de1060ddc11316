import type { Command } from 'commander';
import type { RealtimeState, RealtimeTable } from '../../../contract/realtime.ts';
import { CliError, type Client, connect } from '../client.ts';
import { printJson, printTable } from '../print.ts';

const help = `
A table is TABLE or SCHEMA.TABLE. Examples:
  ninefold realtime tables REF
  ninefold realtime on REF tickets
  ninefold realtime off REF sales.orders`;

/** Adds the commands `ninefold realtime …`. */
export function addRealtimeCommands(program: Command): void {
  const realtime = program.command('realtime').description('the realtime of an app').addHelpText('after', help);

  realtime
    .command('tables')
    .description('the tables of an app, and whether realtime reports their changes')
    .argument('<ref>')
    .option('--json', 'print JSON')
    .action(async (ref: string, { json }: { json?: boolean }) => {
      const { tables } = await readState(connect(), ref);
      if (json) printJson(tables);
      else
        printTable(
          ['table', 'changes'],
          tables.map((one) => [nameOf(one), one.published ? 'on' : 'off']),
        );
    });

  for (const [word, published] of [
    ['on', true],
    ['off', false],
  ] as const) {
    realtime
      .command(word)
      .description(`${published ? 'report' : 'stop reporting'} the changes of a table`)
      .argument('<ref>')
      .argument('<table>', 'TABLE or SCHEMA.TABLE')
      .action((ref: string, table: string) => switchTable(connect(), ref, table, published));
  }
}

/** Changes the publication supabase_realtime as the app's owner, unless it already is as asked. */
async function switchTable(client: Client, ref: string, name: string, published: boolean): Promise<void> {
  const { tables } = await readState(client, ref);
  const table = tables.find((one) => nameOf(one) === name || `${one.schema}.${one.name}` === name);
  if (!table) throw new CliError(`The app has no table ${name}. List the tables with: ninefold realtime tables ${ref}`);
  if (table.published === published) return;
  if (!table.switchable) {
    throw new CliError(
      'The publication has every table of the schema. Change it with SQL: alter publication supabase_realtime …',
    );
  }
  const verb = published ? 'add' : 'drop';
  await client.post(`/apps/${encodeURIComponent(ref)}/sql`, {
    sql: `alter publication supabase_realtime ${verb} table ${quoted(table.schema)}.${quoted(table.name)};`,
  });
}

const readState = (client: Client, ref: string): Promise<RealtimeState> =>
  client.get<RealtimeState>(`/apps/${encodeURIComponent(ref)}/realtime`);

const nameOf = ({ schema, name }: RealtimeTable): string => (schema === 'public' ? name : `${schema}.${name}`);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
