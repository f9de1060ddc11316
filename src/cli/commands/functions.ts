import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { FunctionLogLine, FunctionSources, FunctionsState } from '../../../contract/functions.ts';
import { CliError, type Client, connect } from '../client.ts';
import { deployFunctions } from '../deploy-functions.ts';
import { type FoundFunction, functionsFolder, readFunctions } from '../function-files.ts';
import { bytesInWords, printJson, printTable } from '../print.ts';
import { readProjectConfig } from '../supabase-project.ts';

/** Interval at which output is read while it is followed. */
const FOLLOW_MILLISECONDS = 1000;
/** An editor writes several files at once. */
const SETTLE_MILLISECONDS = 150;

const deployHelp = `
FOLDER is a project with supabase/functions, or the folder with the functions; by default the current one. Each folder in it is a function,
except those that begin with _; _shared is sent with every function. config.toml decides about verify_jwt, entrypoint and import_map.`;

const pathOf = (ref: string): string => `/apps/${encodeURIComponent(ref)}`;

/** Adds the commands `ninefold functions` and `ninefold secrets`. */
export function addFunctionCommands(program: Command): void {
  const functions = program.command('functions').description('edge functions: deploy, list, logs, roll back, delete');
  functions
    .command('list')
    .description('list the functions of an app with their figures of the last day')
    .argument('<ref>')
    .option('--json', 'print JSON')
    .action(async (ref: string, { json }: { json?: boolean }) => {
      const state = await connect().get<FunctionsState>(`${pathOf(ref)}/functions`);
      if (json) printJson(state);
      else printFunctions(state);
    });
  functions
    .command('deploy')
    .description('deploy all functions of a folder, or some of them')
    .argument('<ref>')
    .argument('[folder]', 'the project', '.')
    .option('--only <names...>', 'only these functions')
    .option('--no-verify-jwt', 'callers need no key and no token')
    .option('--message <text>', 'a note about the change')
    .addHelpText('after', deployHelp)
    .action(async (ref: string, folder: string, options: { only?: string[]; verifyJwt: boolean; message?: string }) => {
      const found = chosen(folder, options.only);
      const changed = found.map((each) => ({
        ...each,
        ...(!options.verifyJwt && { verify_jwt: false }),
        ...(options.message !== undefined && { message: options.message }),
      }));
      const deployed = await deployFunctions(connect(), ref, changed, ({ line }) => process.stdout.write(`${line}\n`));
      if (deployed.some(({ isDeployed }) => !isDeployed)) throw new CliError('Not all functions were deployed.');
    });
  functions
    .command('serve')
    .description('deploy the functions at each change of a file, and print their output, until Ctrl-C')
    .argument('<ref>')
    .argument('[folder]', 'the project', '.')
    .action((ref: string, folder: string) => serve(connect(), ref, folder));
  functions
    .command('logs')
    .description('print the output of functions')
    .argument('<ref>')
    .option('--function <name>', 'only of this function')
    .option('--request <id>', 'only of this request')
    .option('--follow', 'print further lines until Ctrl-C')
    .action(async (ref: string, options: { function?: string; request?: string; follow?: boolean }) => {
      const client = connect();
      let after = await printLogs(client, ref, options, 0);
      while (options.follow) {
        await delay(FOLLOW_MILLISECONDS);
        after = await printLogs(client, ref, options, after);
      }
    });
  functions
    .command('rollback')
    .description('make an earlier version active')
    .argument('<ref>')
    .argument('<name>')
    .option('--to <version>', 'default: the version before the active one')
    .action(async (ref: string, name: string, { to }: { to?: string }) => {
      const client = connect();
      const { functions: all } = await client.get<FunctionsState>(`${pathOf(ref)}/functions`);
      const versions = all.find((each) => each.name === name)?.versions ?? [];
      const active = versions.findIndex(({ is_active: isActive }) => isActive);
      const version = to === undefined ? versions[active + 1]?.number : Number(to.replace(/^v/, ''));
      if (version === undefined) throw new CliError('There is no earlier version.');
      await client.patch(`${pathOf(ref)}/functions/${encodeURIComponent(name)}`, { version });
      process.stdout.write(`${name} runs version ${version}.\n`);
    });
  functions
    .command('download')
    .description('write the files of the active version into a folder')
    .argument('<ref>')
    .argument('<name>')
    .argument('[folder]', 'where to write', 'supabase/functions')
    .action(download);
  functions
    .command('delete')
    .description('delete a function with its versions')
    .argument('<ref>')
    .argument('<name>')
    .action(async (ref: string, name: string) => {
      await connect().delete(`${pathOf(ref)}/functions/${encodeURIComponent(name)}`);
      process.stdout.write(`Deleted ${name}.\n`);
    });
  addSecretCommands(program);
}

function addSecretCommands(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('secrets of edge functions, which are their environment variables');
  secrets
    .command('list')
    .description('list the names of secrets; values are never shown')
    .argument('<ref>')
    .action(async (ref: string) => {
      const { secrets: all } = await connect().get<FunctionsState>(`${pathOf(ref)}/functions`);
      if (all.length === 0)
        process.stdout.write('There are no secrets. Set one with: ninefold secrets set REF NAME=VALUE\n');
      else
        printTable(
          ['name', 'set', 'by', 'read by'],
          all.map((each) => [each.name, each.set_at, each.set_by, each.read_by.join(', ')]),
        );
    });
  secrets
    .command('set')
    .description('set secrets')
    .argument('<ref>')
    .argument('[pairs...]', 'NAME=VALUE')
    .option('--env-file <file>', 'a file with lines NAME=VALUE')
    .action(async (ref: string, pairs: string[], { envFile }: { envFile?: string }) => {
      const lines = [...(envFile === undefined ? [] : readFileSync(envFile, 'utf8').split('\n')), ...pairs];
      const values = Object.fromEntries(lines.flatMap(pairOf));
      if (Object.keys(values).length === 0)
        throw new CliError('Name a secret as NAME=VALUE, or a file with --env-file.');
      await connect().put(`${pathOf(ref)}/function-secrets`, values);
      process.stdout.write(`Set ${Object.keys(values).join(', ')}. The next call of a function has the new values.\n`);
    });
  secrets
    .command('unset')
    .description('delete secrets')
    .argument('<ref>')
    .argument('<names...>')
    .action(async (ref: string, names: string[]) => {
      await connect().put(`${pathOf(ref)}/function-secrets`, Object.fromEntries(names.map((name) => [name, null])));
      process.stdout.write(`Deleted ${names.join(', ')}.\n`);
    });
}

/** Reads `NAME=VALUE`. Nothing for an empty line and a comment. Quotes around a value are removed, as in .env files. */
function pairOf(line: string): [string, string][] {
  const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/s.exec(line) ?? [];
  if (name !== undefined) return [[name, value.replace(/^(["'])(.*)\1$/s, '$2')]];
  if (/^\s*(#|$)/.test(line)) return [];
  throw new CliError(`“${line}” is not NAME=VALUE.`);
}

/** @throws CliError if the folder has no functions, or not all that are named. */
function chosen(folder: string, only: readonly string[] | undefined): FoundFunction[] {
  const place = functionsFolder(folder);
  if (place === null) throw new CliError(`${folder} has no folder supabase/functions.`);
  const found = readFunctions(place, readProjectConfig(folder));
  const missing = only?.find((name) => !found.some((each) => each.name === name));
  if (missing !== undefined) throw new CliError(`${place} has no function ${missing}.`);
  const functions = only === undefined ? found : found.filter(({ name }) => only.includes(name));
  if (functions.length === 0) throw new CliError(`${place} has no function: a folder with index.ts.`);
  return functions;
}

function printFunctions({ functions, runs }: FunctionsState): void {
  if (!runs) process.stdout.write('This node runs no edge functions: NINEFOLD_FUNCTIONS is off.\n');
  if (functions.length === 0) {
    process.stdout.write('The app has no functions. Deploy some with: ninefold functions deploy REF FOLDER\n');
    return;
  }
  printTable(
    ['name', 'version', 'size', 'callers', 'calls', 'failed', 'median'],
    functions.map(({ name, versions, verify_jwt: verifies, calls }) => {
      const active = versions.find(({ is_active: isActive }) => isActive);
      return [
        name,
        active ? String(active.number) : 'off',
        active ? bytesInWords(active.bytes) : '',
        verifies ? 'with key or token' : 'all',
        String(calls.count),
        String(calls.failed),
        calls.median === null ? '' : `${Math.round(calls.median)} ms`,
      ];
    }),
  );
}

async function printLogs(
  client: Client,
  ref: string,
  filter: { function?: string; request?: string },
  after: number,
): Promise<number> {
  const query = new URLSearchParams({
    after: String(after),
    ...(filter.function !== undefined && { function: filter.function }),
    ...(filter.request !== undefined && { request_id: filter.request }),
  });
  const lines = await client.get<FunctionLogLine[]>(`${pathOf(ref)}/function-logs?${query}`);
  for (const { at, level, function: name, message } of lines)
    process.stdout.write(`${at}  ${level.padEnd(5)}  ${name ?? '-'}  ${message}\n`);
  return Math.max(after, ...lines.map(({ id }) => id));
}

async function serve(client: Client, ref: string, folder: string): Promise<void> {
  const place = functionsFolder(folder);
  if (place === null) throw new CliError(`${folder} has no folder supabase/functions.`);
  const sent = new Map<string, string>();
  const deployChanged = async () => {
    const changed = readFunctions(place, readProjectConfig(folder)).filter(
      (each) => sent.get(each.name) !== JSON.stringify(each),
    );
    for (const each of changed) sent.set(each.name, JSON.stringify(each));
    await deployFunctions(client, ref, changed, ({ line }) => process.stdout.write(`${line}\n`));
  };
  const before = await client.get<FunctionLogLine[]>(`${pathOf(ref)}/function-logs`);
  let after = Math.max(0, ...before.map(({ id }) => id));
  await deployChanged();
  let work = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  watch(place, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(deployChanged).catch((error: Error) => void process.stderr.write(`${error.message}\n`));
    }, SETTLE_MILLISECONDS);
  });
  for (;;) {
    await delay(FOLLOW_MILLISECONDS);
    after = await printLogs(client, ref, {}, after);
  }
}

async function download(ref: string, name: string, folder: string): Promise<void> {
  const { files } = await connect().get<FunctionSources>(`${pathOf(ref)}/functions/${encodeURIComponent(name)}/source`);
  const root = resolve(folder);
  for (const [path, text] of Object.entries(files)) {
    const target = resolve(root, path);
    if (!target.startsWith(`${root}${sep}`)) throw new CliError(`The path ${path} leads out of the folder.`);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  process.stdout.write(`Wrote ${Object.keys(files).length} files to ${join(folder)}.\n`);
}
