import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../../test/support/app-database.ts';
import { plain } from '../../database/statement.ts';
import { Events } from '../../observe/events.ts';
import { Checkpoints } from './checkpoints.ts';

let database: AppDatabase;
let checkpointer: number;

beforeAll(async () => {
  database = await startAppDatabase('checkpoints');
  const [result] = await database.pool.run([
    plain(`select pid from pg_catalog.pg_stat_get_activity(null) where backend_type = 'checkpointer'`),
  ]);
  checkpointer = Number(result?.rows[0]?.[0]?.toString());
});
afterAll(() => database?.stop());

it('Checkpoints delays the creation of apps if the disk cannot complete a checkpoint before the next one is due', async () => {
  const server = {
    target: database.target,
    isEmbedded: true,
    missingRights: [],
    masterKey: Buffer.alloc(32),
    temporaryBytes: 0,
  };
  const checkpoints = new Checkpoints(server, new Events());
  process.kill(checkpointer, 'SIGSTOP');
  const order: string[] = [];
  try {
    for (let app = 0; app < 49; app++) checkpoints.countApp();
    await checkpoints.wait();
    order.push('app 50 is made beside the checkpoint');
    checkpoints.countApp();
    const waiting = checkpoints.wait().then(() => order.push('app 51 is made'));
    await database.pool.run([plain('select 1')]);
    order.push('the checkpoint goes on');
    process.kill(checkpointer, 'SIGCONT');
    await waiting;
  } finally {
    process.kill(checkpointer, 'SIGCONT');
  }
  expect(order).toEqual(['app 50 is made beside the checkpoint', 'the checkpoint goes on', 'app 51 is made']);
});

it('Checkpoints spreads the creation of apps over a checkpoint, so that none waits for the whole checkpoint', async () => {
  const server = {
    target: database.target,
    isEmbedded: true,
    missingRights: [],
    masterKey: Buffer.alloc(32),
    temporaryBytes: 0,
  };
  const checkpoints = new Checkpoints(server, new Events());
  process.kill(checkpointer, 'SIGSTOP');
  const created: number[] = [];
  try {
    for (let app = 0; app < 35; app++) checkpoints.countApp();
    const turns = Array.from({ length: 10 }, (_, app) => checkpoints.wait().then(() => created.push(app)));
    await Promise.all(turns.slice(0, 3));
    expect(created).toEqual([0, 1, 2]);
    process.kill(checkpointer, 'SIGCONT');
    await Promise.all(turns);
  } finally {
    process.kill(checkpointer, 'SIGCONT');
  }
  expect(created).toHaveLength(10);
});
