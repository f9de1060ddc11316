import { open, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  type BeginImportRequest,
  type FirebaseHashParameters,
  hashesInWords,
  importSources,
  type MemberImport,
  partBytes,
  type RefusedRecord,
  readHashParameters,
  refusalsAsCsv,
} from '../../../contract/member-imports.ts';
import { CliError, type Client, connect } from '../client.ts';
import { printJson, printTable } from '../print.ts';

/** Maximum number of refused accounts that are printed. */
const SHOWN = 20;

/** Pause between two questions whether an import has ended. */
const POLL_MILLISECONDS = 500;

interface ImportOptions {
  from: string;
  hashConfig?: string;
  report?: string;
  json?: boolean;
}

/** Adds the commands `ninefold members …`. */
export function addMemberCommands(program: Command): void {
  const members = program.command('members').description('the members of an app');
  members
    .command('import')
    .description('import members with their password hashes')
    .argument('<ref>')
    .argument('<file>', 'an export of accounts')
    .requiredOption('--from <system>', `where the file is from: ${importSources.join(', ')}`)
    .option('--hash-config <file>', 'of Firebase: a file with the password hash parameters of the project')
    .option('--report <file>', 'write the refused records to this file, as CSV')
    .option('--json', 'print JSON')
    .action(importMembers);
}

async function importMembers(ref: string, file: string, options: ImportOptions): Promise<void> {
  const source = importSources.find((one) => one === options.from);
  if (source === undefined) throw new CliError(`--from is one of ${importSources.join(', ')}.`);
  const client = connect();
  const imports = `/apps/${encodeURIComponent(ref)}/member-imports`;
  const request: BeginImportRequest = {
    ...{ source, file_name: basename(file) },
    ...(options.hashConfig !== undefined && { firebase: await readHashConfig(options.hashConfig) }),
  };
  const { id } = await client.post<MemberImport>(imports, request);
  const path = `${imports}/${id}`;
  await sendFile(client, path, file);
  await client.post(`${path}/run`, {});
  const ended = await untilEnded(client, path, options.json ?? false);
  const refusals = await client.get<RefusedRecord[]>(`${path}/refusals`);
  if (options.report !== undefined) await writeFile(options.report, refusalsAsCsv(refusals));
  if (ended.state === 'failed') throw new CliError(ended.failure ?? 'The import failed.');
  if (options.json) return printJson({ ...ended, refusals });
  const { imported, present, refused, hashes } = ended;
  process.stdout.write(`${imported} imported, ${present} already existed, ${refused} refused.\n`);
  for (const kind of hashes) process.stdout.write(`${hashesInWords(kind)}\n`);
  if (refusals.length === 0 || options.report !== undefined) return;
  printTable(
    ['line', 'account', 'reason'],
    refusals.slice(0, SHOWN).map(({ line, subject, reason }) => [String(line), subject ?? '–', reason]),
  );
  if (refusals.length > SHOWN) process.stdout.write('Write them all to a file with --report FILE.\n');
}

async function sendFile(client: Client, path: string, file: string): Promise<void> {
  const handle = await open(file).catch(() => {
    throw new CliError(`The file ${file} cannot be read.`);
  });
  try {
    for (let position = 0; ; position++) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(partBytes), 0, partBytes);
      if (bytesRead === 0) return;
      await client.put(`${path}/parts/${position}`, buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

async function untilEnded(client: Client, path: string, isQuiet: boolean): Promise<MemberImport> {
  const shows = !isQuiet && process.stderr.isTTY;
  for (;;) {
    const state = await client.get<MemberImport>(path);
    if (shows) process.stderr.write(`\r${state.read} read, ${state.refused} refused`);
    if (state.state !== 'running') {
      if (shows) process.stderr.write('\n');
      return state;
    }
    await sleep(POLL_MILLISECONDS);
  }
}

async function readHashConfig(file: string): Promise<FirebaseHashParameters> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CliError(`The file ${file} cannot be read.`);
  });
  const parameters = readHashParameters(text);
  if (parameters !== null) return parameters;
  throw new CliError(
    `${file} must hold base64_signer_key, base64_salt_separator, rounds and mem_cost, as Firebase shows them.`,
  );
}
