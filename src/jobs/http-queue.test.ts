import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import type { Pool } from '../database/pool.ts';
import { readHttpQueue, tidyResponses } from './http-queue.ts';

let database: AppDatabase;
let server: Pool;
beforeAll(async () => {
  database = await startAppDatabase('http-queue');
  server = database.as('app_server');
});
afterAll(() => database.stop());
beforeEach(() => database.pool.script('truncate net._http_response, net.http_request_queue'));

const respond = (id: number, age: string) =>
  database.pool.script(
    `insert into net._http_response (id, status_code, created) values (${id}, 200, now() - interval '${age}')`,
  );

it('reports when the oldest response expires, and deletes only what has expired', async () => {
  expect(await readHttpQueue(server)).toEqual({ waiting: false, expires: null, is_full: false });
  await respond(1, `${limits.httpResponseHours.default + 1} hours`);
  await respond(2, '1 minute');
  const { expires } = await readHttpQueue(server);
  expect(expires).toBeLessThan(Date.now());
  await tidyResponses(server);
  expect((await readHttpQueue(server)).expires).toBeGreaterThan(Date.now() + 3_600_000);
});

it('reports more responses than the maximum, and deletes the oldest ones', async () => {
  await respond(1, '1 minute');
  await respond(limits.httpResponsesKept.default, '1 minute');
  expect(await readHttpQueue(server)).toMatchObject({ is_full: false });
  await respond(limits.httpResponsesKept.default + 1, '1 minute');
  expect(await readHttpQueue(server)).toMatchObject({ is_full: true });
  await tidyResponses(server);
  expect(await readHttpQueue(server)).toMatchObject({ is_full: false, expires: expect.any(Number) });
});
