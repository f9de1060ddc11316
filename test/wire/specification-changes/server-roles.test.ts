import type pg from 'pg';
import { expect, inject, it } from 'vitest';
import { admin, createApp } from '../../support/apps.ts';
import { superuserUrl, withClient } from '../../support/database.ts';

const node = inject('node');

it('a change of a server role becomes a new version without a request or a database event', async () => {
  const { ref } = await createApp(node);
  // An app is watched only while it is open.
  await admin(node, 'GET', `/apps/${ref}/versions`);
  await withClient(await superuserUrl(node, `app_${ref}`), async (client) => {
    const before = await newest(client);
    // The worker needs up to half a second after the app is opened to read the state with which it compares later
    // states. No event reports the end of this, so the test waits longer.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await client.query(`alter role "app_${ref}_authenticator" set lock_timeout = '3s'`);
    const set = await newerThan(client, before.number);
    expect(set.changes).toContainEqual(expect.objectContaining({ chapter: 'limits', kind: 'added' }));
    expect(JSON.stringify(set.changes)).toContain('lock_timeout');
    await client.query(`alter role "app_${ref}_authenticator" reset lock_timeout`);
    const reset = await newerThan(client, set.number);
    expect(reset.hash).toBe(before.hash);
  });
});

interface Version {
  number: number;
  hash: string;
  changes: object[];
}

async function newest(client: pg.Client): Promise<Version> {
  const { rows } = await client.query(
    'select number::int, hash, changes from ninefold.versions order by number desc limit 1',
  );
  return rows[0];
}

/** Looks for a version after that number until the time limit; fails if none appears. */
async function newerThan(client: pg.Client, number: number): Promise<Version> {
  const until = performance.now() + 10_000;
  for (;;) {
    const version = await newest(client);
    if (version.number > number || performance.now() > until) {
      expect(version.number).toBeGreaterThan(number);
      return version;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
