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
    // No event reports when the worker has read the state with which it compares later states. A change before that is
    // part of this state, so the test changes the setting until a version shows it.
    let set: Version | undefined;
    for (let seconds = 3; !set && seconds < 30; seconds++) {
      await client.query(`alter role "app_${ref}_authenticator" set lock_timeout = '${seconds}s'`);
      set = await newerThan(client, before.number, 1500);
    }
    if (!set) throw new Error('No version shows the change of the role.');
    expect(set.changes).toContainEqual(expect.objectContaining({ chapter: 'limits', kind: 'added' }));
    expect(JSON.stringify(set.changes)).toContain('lock_timeout');
    await client.query(`alter role "app_${ref}_authenticator" reset lock_timeout`);
    await expect.poll(async () => (await newest(client)).hash, { timeout: 30_000 }).toBe(before.hash);
    expect((await newest(client)).number).toBeGreaterThan(set.number);
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

/** Returns the newest version as soon as its number is higher than that one, or undefined after these milliseconds. */
async function newerThan(client: pg.Client, number: number, ms: number): Promise<Version | undefined> {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const version = await newest(client);
    if (version.number > number) return version;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
