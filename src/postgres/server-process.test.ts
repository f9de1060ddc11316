import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { findBinaries } from './binaries.ts';
import { locateDataFolder, makeHome } from './data-folder.ts';
import { initialise } from './initialise.ts';
import { choosePort } from './port.ts';
import { hasSessions, serverProcesses, titleOf } from './process-table.ts';
import { ServerLog } from './server-log.ts';
import { ServerFailure, type ServerPlan, ServerProcess } from './server-process.ts';

let home: string;
let plan: ServerPlan;
const never = new AbortController().signal;

beforeAll(async () => {
  home = await makeHome(await makeTestFolder('server'));
  await chmod(home, 0o711);
  await mkdir(join(home, 'logs'));
  const folder = await locateDataFolder(home);
  const binaries = await findBinaries(folder.runAs);
  await initialise(folder, binaries, 'password');
  const log = new ServerLog(join(home, 'logs/postgres.log'));
  plan = { folder, binaries, log, maxConnections: 20, processMemoryBytes: 2 ** 29, port: await choosePort(home, 0) };
});

afterAll(async () => {
  plan.log.close();
  await rm(home, { recursive: true });
});

it('ServerProcess reports that another program took the port just before the start, so that another port can be chosen', async () => {
  const occupier = createServer();
  await new Promise<void>((resolve) => occupier.listen(plan.port, '127.0.0.1', resolve));
  try {
    await expect(ServerProcess.start(plan, never)).rejects.toMatchObject({ name: 'ServerFailure', portTaken: true });
  } finally {
    occupier.close();
  }
});

it("ServerProcess throws PostgreSQL's own reason if the server does not start", async () => {
  await expect(ServerProcess.start({ ...plan, maxConnections: 1 }, never)).rejects.toMatchObject({
    name: 'ServerFailure',
    message: expect.stringContaining('max_connections'),
    portTaken: false,
  });
});

it('can be stopped before it accepts connections', async () => {
  const start = new AbortController();
  const starting = ServerProcess.start(plan, start.signal);
  start.abort();
  await starting.then(
    (server) => server.stop(() => undefined),
    (error) => expect(error).toBeInstanceOf(ServerFailure),
  );
  expect(await serverProcesses(plan.folder.path)).toEqual([]);
});

async function processTitled(part: string): Promise<number> {
  for (const pid of await serverProcesses(plan.folder.path)) {
    if ((await titleOf(pid)).includes(part)) return pid;
  }
  throw new Error(`no process of the server is titled ${part}`);
}

it('hasSessions distinguishes sessions that a shutdown ends from the checkpoint for which it waits', async () => {
  const server = await ServerProcess.start(plan, never);
  const client = new Client({
    port: plan.port,
    host: '127.0.0.1',
    user: 'ninefold',
    password: 'password',
    database: 'postgres',
  });
  client.on('error', () => undefined);
  await client.connect();
  expect(await hasSessions(plan.folder.path)).toBe(true);
  const checkpointer = await processTitled(': checkpointer');
  process.kill(await processTitled('/postgres -D'), 'SIGINT');
  process.kill(checkpointer, 'SIGSTOP');
  await expect.poll(() => hasSessions(plan.folder.path)).toBe(false);
  expect(await serverProcesses(plan.folder.path)).toContain(checkpointer);
  await server.stop(() => undefined);
  expect(await serverProcesses(plan.folder.path)).toEqual([]);
});

it.runIf(process.platform === 'linux' && existsSync('/bin/ps'))(
  'serverProcesses finds the processes of a server on systems with and without /proc',
  async () => {
    const server = await ServerProcess.start(plan, never);
    const descriptor = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    const on = async (platform: string): Promise<number[]> => {
      Object.defineProperty(process, 'platform', { ...descriptor, value: platform });
      const pids = await serverProcesses(plan.folder.path).finally(() =>
        Object.defineProperty(process, 'platform', descriptor),
      );
      return pids.sort();
    };
    try {
      // The server accepts connections before all of its processes have started, so this waits for them.
      await expect.poll(async () => (await on(process.platform)).length).toBeGreaterThan(3);
      // Vacuum processes start and end at any time, so two lists may differ. The comparison is repeated.
      await expect
        .poll(async () => JSON.stringify(await on('linux')) === JSON.stringify(await on('freebsd')))
        .toBe(true);
    } finally {
      await server.stop(() => undefined);
    }
    expect(await on('linux')).toEqual([]);
  },
);
