import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { AppConnection, AppSummary, CreateAppRequest } from '../../../contract/admin.ts';
import { templateNames } from '../../../contract/templates.ts';
import { CliError, connect } from '../client.ts';
import { createFromProject } from '../create-from-project.ts';
import { bytesInWords, printConnection, printJson, printTable } from '../print.ts';
import { addMoveCommand } from './servers.ts';

interface CreateOptions {
  name?: string;
  jwtSecret?: string;
  database?: string;
  anonRole?: string;
  template?: string;
  from?: string;
  server?: string;
  json?: boolean;
}

/** Adds the commands `ninefold apps …`. */
export function addAppCommands(program: Command): void {
  const apps = program.command('apps').description('create, list, copy and delete apps');

  apps
    .command('list')
    .description('all apps of the node')
    .option('--sizes', 'with the sizes of their databases, which takes seconds with a thousand apps')
    .option('--json', 'print JSON')
    .action(async (options: { sizes?: boolean; json?: boolean }) => {
      const list = await connect().get<AppSummary[]>(options.sizes ? '/apps?sizes=true' : '/apps');
      if (options.json) return printJson(list);
      if (list.length === 0) {
        process.stdout.write('No apps yet. Create one with: node bin/ninefold.js apps create REF\n');
        return;
      }
      const size = ({ size_bytes }: AppSummary) => (options.sizes ? [bytesInWords(size_bytes ?? 0)] : []);
      printTable(
        ['ref', 'name', ...(options.sizes ? ['size'] : []), 'since', 'url'],
        list.map((app) => [app.ref, app.name, ...size(app), app.created_at.slice(0, 10), app.url]),
      );
    });

  apps
    .command('create')
    .description('create an app with its own database')
    .argument('<ref>', '3 to 40 lower-case letters, digits and hyphens, starting with a letter')
    .option('--name <name>', 'the name that the console shows')
    .option('--jwt-secret <secret>', 'HS256 secret of an existing project, whose tokens stay valid')
    .option('--database <name>', 'an existing database of the server for the app')
    .option('--anon-role <role>', 'with --database: the role of requests without a token')
    .option('--server <ref>', 'the PostgreSQL server of the app; by default the one with the fewest apps')
    .option('--template <name>', `template of the app: ${templateNames.join(', ')}; empty when missing`)
    .option('--from <folder>', 'a Supabase project whose migrations, seed and settings the app takes over')
    .option('--json', 'print JSON')
    .action(async (ref: string, options: CreateOptions) => {
      if (options.from !== undefined) return createFromProject(connect(), ref, { ...options, from: options.from });
      const { name, jwtSecret: jwt_secret, database, anonRole: anon_role, template, server } = options;
      const body: CreateAppRequest = JSON.parse(
        JSON.stringify({ ref, name, jwt_secret, database, anon_role, template, server }),
      );
      printConnection(await connect().post<AppConnection>('/apps', body), options.json ?? false);
    });

  apps
    .command('clone')
    .description('copy an app: schema, rows and members, with new keys')
    .argument('<source>', 'the app to copy')
    .argument('<ref>', 'the ref of the copy')
    .option('--name <name>', 'the name that the console shows')
    .option('--json', 'print JSON')
    .action(async (source: string, ref: string, options: { name?: string; json?: boolean }) => {
      const path = `/apps/${encodeURIComponent(source)}/clone`;
      const copy = await connect().post<AppConnection>(path, { ref, name: options.name });
      printConnection(copy, options.json ?? false);
    });

  addMoveCommand(apps);

  apps
    .command('restore')
    .description('bring an app back from the backups as it was at a time, under another ref, beside the living apps')
    .argument('<ref>', 'the app in the backup; it may have been deleted since')
    .requiredOption('--at <time>', 'the time, such as 2026-11-29T10:15:00Z')
    .requiredOption('--as <ref>', 'the ref of the copy')
    .action(async (ref: string, { at, as }: { at: string; as: string }) =>
      (await import('../backups.ts')).restoreApp({ ref, at, as }),
    );

  apps
    .command('delete')
    .description('delete an app and everything in it')
    .argument('<ref>')
    .option('--confirm <ref>', 'the ref again; the command asks for a missing ref')
    .action(async (ref: string, options: { confirm?: string }) => {
      const confirm =
        options.confirm ?? (await ask(`This deletes ${ref} with all its data. Type its ref to continue: `));
      await connect().delete(`/apps/${encodeURIComponent(ref)}`, { confirm });
      process.stdout.write(`Deleted ${ref}.\n`);
    });
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CliError('Give the ref again with --confirm REF.');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await reader.question(question)).trim();
  } finally {
    reader.close();
  }
}
