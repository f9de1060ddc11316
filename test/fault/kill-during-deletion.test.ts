import { expect, it } from 'vitest';
import type { AppSummary } from '../../contract/admin.ts';
import { admin, createApp, deleteApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll } from '../support/processes.ts';

const node = ownNode('deletion');

/** Points at which a lock delays a deletion, and whether the app is still complete at that point. */
const points: [where: string, database: string, lock: (ref: string) => string, isWhole: boolean][] = [
  ['before its database is dropped', 'postgres', (ref) => `comment on database "app_${ref}" is 'held'`, true],
  [
    'before its first role is dropped',
    'postgres',
    (ref) => `comment on role "app_${ref}_authenticator" is 'held'`,
    false,
  ],
  [
    'after the first of its two roles was dropped',
    'postgres',
    (ref) => `comment on role "app_${ref}" is 'held'`,
    false,
  ],
  ['before its row in public.apps is deleted', 'app_console', () => 'lock table public.apps in share mode', false],
];

it.each(points)(
  'an app whose deletion was killed %s can be deleted after the next start, and nothing is left',
  async (...point) => {
    const [, database, lock, isWhole] = point;
    const { ref, secret_key } = await createApp(node);
    await runSql(node, ref, 'create table public.kept as select 7 as number');
    await withClient(await superuserUrl(node, database), async (holder) => {
      await holder.query(`begin; ${lock(ref)}`);
      const deletion = deleteApp(node, ref).catch(() => {});
      await isHeldUp();
      await killAll(node);
      await deletion;
    });
    await node.startAgain();

    expect(await refs()).toContain(ref);
    const kept = await fetch(`${node.url}/apps/${ref}/rest/v1/kept`, { headers: { apikey: secret_key } });
    expect([kept.status, isWhole ? await kept.json() : null]).toEqual(isWhole ? [200, [{ number: 7 }]] : [503, null]);
    await deleteApp(node, ref);
    expect(await refs()).not.toContain(ref);
    expect(await leftOf(ref)).toEqual([]);
    const again = await createApp(node, { ref });
    expect(again.ref).toBe(ref);
    await deleteApp(node, ref);
  },
);

const refs = async (): Promise<string[]> => (await admin<AppSummary[]>(node, 'GET', '/apps')).map((app) => app.ref);

/** Returns the databases and roles of an app. */
const leftOf = async (ref: string): Promise<string[]> =>
  withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const { rows } = await client.query(
      `select datname as name from pg_database where datname = $1
       union all select rolname from pg_roles where rolname in ($1, $1 || '_authenticator')`,
      [`app_${ref}`],
    );
    return rows.map(({ name }) => name);
  });

/** Resolves when a statement of the server waits for the held lock. */
const isHeldUp = async (): Promise<void> =>
  withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const waiting = async () => {
      const { rows } = await client.query(
        `select query from pg_stat_activity where wait_event_type = 'Lock' and query ~* '^(drop|delete)'`,
      );
      return rows.length;
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThan(0);
  });
