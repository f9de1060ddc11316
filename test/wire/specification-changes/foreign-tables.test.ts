import { expect, inject, it } from 'vitest';
import type { Specification } from '../../../contract/specification.ts';
import { admin, createApp } from '../../support/apps.ts';
import { superuserUrl, withClient } from '../../support/database.ts';

const node = inject('node');

it('the specification lists calls that write to a foreign table as long as its wrapper has a handler and a role has a user mapping', async () => {
  const { ref } = await createApp(node);
  const writes = async () => {
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
    return chapters.calls?.calls.filter(({ path, method }) => path === '/rest/v1/far' && method === 'POST').length;
  };
  await withClient(await superuserUrl(node, `app_${ref}`), async (client) => {
    await client.query(`create extension postgres_fdw; create foreign data wrapper far_away;
      create server there foreign data wrapper far_away;
      create foreign table public.far (id int) server there; create view public.near as select id, id + 1 as more from public.far;
      grant all on public.far to authenticated`);
    const shows = (count: number) => expect.poll(writes, { timeout: 1000, interval: 0 }).toBe(count);
    await shows(0);
    await client.query('alter foreign data wrapper far_away handler postgres_fdw_handler');
    await shows(0);
    await client.query('create user mapping for authenticated server there');
    await shows(1);
    await client.query(`alter server there options (add updatable 'false')`);
    await shows(0);
    await client.query('alter server there options (drop updatable)');
    await shows(1);
    await client.query(`alter foreign table public.far options (add updatable 'false')`);
    await shows(0);
    await client.query(
      'alter foreign data wrapper far_away no handler; alter foreign table public.far options (drop updatable)',
    );
    await shows(0);
  });
});
