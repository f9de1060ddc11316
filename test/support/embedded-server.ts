import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { serverProcesses } from '../../src/postgres/process-table.ts';
import { processTable } from './processes.ts';

/** Runs SQL on a new connection and returns the rows. */
export async function query(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = await connected(url);
  try {
    return (await client.query<Record<string, string>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Connects a client that ignores the end of its connection. */
export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Returns the path of the data folder, to which the home may only link. */
export const dataFolderOf = (home: string): Promise<string> => realpath(join(home, 'postgres'));

/** Returns the process id of the postmaster. */
export const postmasterOf = async (home: string): Promise<number> =>
  Number.parseInt(await readFile(join(await dataFolderOf(home), 'postmaster.pid'), 'utf8'), 10);

/** Counts postmasters: server processes whose parent is not a process of the same data folder. */
export async function postmastersOf(home: string): Promise<number> {
  const table = await processTable();
  const pids = await serverProcesses(await dataFolderOf(home));
  return table.filter(({ pid, parent }) => pids.includes(pid) && !pids.includes(parent)).length;
}
