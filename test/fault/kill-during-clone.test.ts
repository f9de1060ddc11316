import pg from 'pg';
import { expect, it } from 'vitest';
import { admin, createApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll } from '../support/processes.ts';

const node = ownNode('clone');

it('an app whose copy was interrupted by a kill is served after the next start, and can be copied', async () => {
  const { ref, secret_key } = await createApp(node);
  await runSql(node, ref, 'create table public.kept as select 7 as number');
  const copy = `${ref}-copy`;
  const clone = () => admin(node, 'POST', `/apps/${ref}/clone`, { ref: copy });
  // A transaction in the database delays the copy, which has closed the database by then.
  const holder = new pg.Client(await superuserUrl(node, `app_${ref}`));
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('begin');
  const cloning = clone().catch(() => {});
  await isClosed(`app_${ref}`);
  await killAll(node);
  await cloning;
  await node.startAgain();

  const kept = await fetch(`${node.url}/apps/${ref}/rest/v1/kept`, { headers: { apikey: secret_key } });
  expect([kept.status, await kept.json()]).toEqual([200, [{ number: 7 }]]);
  await clone();
  expect(await marks()).toEqual([]);
});

const isClosed = async (database: string): Promise<void> =>
  withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const open = async () =>
      (await client.query('select datallowconn as open from pg_database where datname = $1', [database])).rows[0]?.open;
    await expect.poll(open, { timeout: 20_000, interval: 5 }).toBe(false);
  });

/** Returns the databases that are marked as being copied. */
const marks = async (): Promise<unknown[]> =>
  withClient(await superuserUrl(node, 'ninefold_maintenance'), async (client) => {
    const { rows } = await client.query('select name from closed_databases');
    return rows;
  });
