import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { outcomeOf, withClient } from '../support/database.ts';

const node = inject('node');
let app: AppConnection;

const asOwner = (sql: string) => withClient(app.database_url ?? '', (client) => outcomeOf(client, sql));
const value = async (sql: string) => {
  const rows = await asOwner(`select ${sql} as value`);
  return typeof rows === 'string' ? rows : rows.map((row) => (row as { value: unknown }).value);
};

beforeAll(async () => {
  app = await createApp(node);
  await runSql(node, app.ref, `create extension if not exists pgmq; select pgmq.create('tasks')`);
});

describe('pgmq.read', () => {
  it('returns the oldest messages and hides them until their time is over', async () => {
    await asOwner(`select pgmq.create('reads')`);
    expect(await value(`pgmq.send_batch('reads', array['{"n": 1}', '{"n": 2}', '{"n": 3}']::jsonb[])`)).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(
      await asOwner(
        `select msg_id, read_ct, message, headers, vt > now() + interval '20 s' as hidden from pgmq.read('reads', 30, 2)`,
      ),
    ).toEqual([
      { msg_id: '1', read_ct: 1, message: { n: 1 }, headers: null, hidden: true },
      { msg_id: '2', read_ct: 1, message: { n: 2 }, headers: null, hidden: true },
    ]);
    expect(await asOwner(`select msg_id from pgmq.read('reads', 0, 10)`)).toEqual([{ msg_id: '3' }]);
    expect(await asOwner(`select msg_id, read_ct from pgmq.read('reads', 0, 10)`)).toEqual([
      { msg_id: '3', read_ct: 2 },
    ]);
    expect(await asOwner(`select msg_id from pgmq.set_vt('reads', 1, 0)`)).toEqual([{ msg_id: '1' }]);
    expect(await asOwner(`select msg_id from pgmq.read('reads', 30, 1)`)).toEqual([{ msg_id: '1' }]);
  });

  it('returns only messages that contain the condition', async () => {
    await asOwner(
      `select pgmq.create('filtered'); select pgmq.send_batch('filtered', array['{"to": "a"}', '{"to": "b"}', '[1]']::jsonb[])`,
    );
    expect(await asOwner(`select message from pgmq.read('filtered', 0, 10, '{"to": "b"}')`)).toEqual([
      { message: { to: 'b' } },
    ]);
    expect(await asOwner(`select message from pgmq.read('filtered', 0, 10)`)).toHaveLength(3);
    expect(await asOwner(`select message from pgmq.read_with_poll('filtered', 30, 1, 1, 10, '{"to": "c"}')`)).toEqual(
      [],
    );
  });

  it('waits for a message of another session with read_with_poll', async () => {
    await asOwner(`select pgmq.create('polled')`);
    const waiting = asOwner(`select message from pgmq.read_with_poll('polled', 30, 5, 10, 20)`);
    await asOwner(`select pgmq.send('polled', '"late"')`);
    expect(await waiting).toEqual([{ message: 'late' }]);
  });
});

describe('pgmq.send', () => {
  it('takes headers, and a delay in seconds or as a time', async () => {
    await asOwner(`select pgmq.create('sent')`);
    for (const call of [
      `send('sent', '1')`,
      `send('sent', '2', '{"h": 1}'::jsonb)`,
      `send('sent', '3', 60)`,
      `send('sent', '4', now() + interval '1 hour')`,
      `send('sent', '5', '{"h": 2}'::jsonb, 60)`,
      `send('sent', '6', '{"h": 3}'::jsonb, now() + interval '1 hour')`,
      `send(queue_name => 'sent', msg => '7', delay => 0)`,
      `send_batch('sent', array['8']::jsonb[], array['{"h": 4}']::jsonb[])`,
      `send_batch('sent', array['9']::jsonb[], 60)`,
      `send_batch('sent', array['10']::jsonb[], now() + interval '1 hour')`,
      `send_batch('sent', array['11']::jsonb[], array['{"h": 5}']::jsonb[], 60)`,
    ])
      expect(await value(`pgmq.${call}`), call).toHaveLength(1);
    const visible = await asOwner(`select message, headers from pgmq.read('sent', 0, 100)`);
    expect(visible).toEqual([
      { message: 1, headers: null },
      { message: 2, headers: { h: 1 } },
      { message: 7, headers: null },
      { message: 8, headers: { h: 4 } },
    ]);
    expect(await value(`pgmq.send_batch('sent', array['1', '2']::jsonb[], array['{}']::jsonb[])`)).toBe('22023');
    expect(await value(`pgmq.send('missing', '1')`)).toBe('42P01');
  });
});

describe('a queue', () => {
  it('pops, archives, deletes, counts, purges and ends as PGMQ documents it', async () => {
    await asOwner(
      `select pgmq.create('Whole'); select pgmq.send_batch('whole', array['1','2','3','4','5','6']::jsonb[])`,
    );
    expect(await asOwner(`select msg_id, message from pgmq.pop('whole')`)).toEqual([{ msg_id: '1', message: 1 }]);
    expect(await value(`pgmq.archive('whole', 2)`)).toEqual([true]);
    expect(await value(`pgmq.archive('whole', 2)`)).toEqual([false]);
    expect(await value(`pgmq.archive('whole', array[3, 999])`)).toEqual(['3']);
    expect(await value(`pgmq.delete('whole', 4)`)).toEqual([true]);
    expect(await value(`pgmq.delete('whole', array[4, 5])`)).toEqual(['5']);
    expect(
      await asOwner('select msg_id, message, archived_at <= now() as archived from pgmq.a_whole order by 1'),
    ).toEqual([
      { msg_id: '2', message: 2, archived: true },
      { msg_id: '3', message: 3, archived: true },
    ]);
    expect(await asOwner(`select * from pgmq.metrics('whole')`)).toMatchObject([
      {
        queue_name: 'whole',
        queue_length: '1',
        total_messages: '6',
        queue_visible_length: '1',
        newest_msg_age_sec: expect.any(Number),
      },
    ]);
    expect(
      await asOwner(
        `select queue_name, is_partitioned, is_unlogged from pgmq.list_queues() where queue_name = 'Whole'`,
      ),
    ).toEqual([{ queue_name: 'Whole', is_partitioned: false, is_unlogged: false }]);
    expect(await value('count(*) from pgmq.metrics_all()')).not.toEqual(['0']);
    expect(await value(`pgmq.purge_queue('whole')`)).toEqual(['1']);
    expect(await asOwner(`select pgmq.detach_archive('whole'), pgmq.drop_queue('whole') as dropped`)).toMatchObject([
      { dropped: true },
    ]);
    expect(await value(`pgmq.drop_queue('whole')`)).toEqual([false]);
    expect(await value(`to_regclass('pgmq.q_whole')`)).toEqual([null]);
    expect(
      await asOwner(
        `select pgmq.create_unlogged('quick'); select is_unlogged from pgmq.meta where queue_name = 'quick'`,
      ),
    ).toEqual([{ is_unlogged: true }]);
    expect(await value(`pgmq.create_partitioned('parts')`)).toBe('0A000');
  });

  it('has a name of 1 to 47 characters that stays a name in SQL', async () => {
    for (const name of ['', 'x'.repeat(48), 'a; drop table pgmq.meta', 'a--b', 'a$b', `a'b`]) {
      const quoted = name.replaceAll("'", "''");
      for (const call of [`create('${quoted}')`, `send('${quoted}', '1')`, `drop_queue('${quoted}')`])
        expect(await value(`pgmq.${call}`), call).toBe('22023');
    }
    const odd = 'a "b" %I \\ ü';
    expect(
      await asOwner(
        `select pgmq.create('${odd}'); select pgmq.send('${odd}', '1'); select message from pgmq.pop('${odd}')`,
      ),
    ).toEqual([{ message: 1 }]);
    expect(
      await asOwner(`select pgmq.create('${'x'.repeat(47)}'); select pgmq.send('${'x'.repeat(47)}', '1')`),
    ).toHaveLength(1);
  });

  it('is closed for anon and authenticated until the owner grants its tables, and open for service_role', async () => {
    await asOwner(`select pgmq.create('closed'); select pgmq.send('closed', '1')`);
    for (const role of ['anon', 'authenticated']) {
      for (const call of [
        `send('closed', '1')`,
        `pop('closed')`,
        `read('closed', 1, 1)`,
        `metrics('closed')`,
        'list_queues()',
        `create('mine')`,
      ])
        expect(await asOwner(`set role ${role}; select pgmq.${call}`), call).toBe('42501');
    }
    expect(await asOwner(`set role service_role; select message from pgmq.pop('closed')`)).toEqual([{ message: 1 }]);
    expect(await asOwner(`set role service_role; select queue_length from pgmq.metrics('closed')`)).toEqual([
      { queue_length: '0' },
    ]);
  });
});

describe('pgmq_public', () => {
  it('sends and reads for clients under the policies of the queue, once the app exposes it', async () => {
    await asOwner(`
      insert into ninefold.settings (key, value) values ('db_schemas', '["public", "pgmq_public"]');
      alter table pgmq.q_tasks enable row level security;
      grant select, insert, update, delete on pgmq.q_tasks to authenticated;
      grant insert on pgmq.a_tasks to authenticated; grant select on pgmq.a_tasks to authenticated;
      create policy own on pgmq.q_tasks to authenticated using (message ->> 'owner' = auth.uid()::text)`);
    const service = clientOf(app, app.secret_key ?? '').schema('pgmq_public');
    const member = await signUpMember(app);
    const own = member.client.schema('pgmq_public');
    const message = { owner: member.user.id };
    const sent = await service.rpc('send_batch', {
      queue_name: 'tasks',
      messages: [{ owner: 'other' }, message, message],
      sleep_seconds: 0,
    });
    expect([sent.error, sent.data]).toEqual([null, [1, 2, 3]]);
    const read = await own.rpc('read', { queue_name: 'tasks', sleep_seconds: 0, n: 10 });
    expect([read.error, read.data.map(({ msg_id }: { msg_id: number }) => msg_id)]).toEqual([null, [2, 3]]);
    expect((await own.rpc('archive', { queue_name: 'tasks', message_id: 2 })).data).toBe(true);
    expect((await own.rpc('delete', { queue_name: 'tasks', message_id: 1 })).data).toBe(false);
    expect((await own.rpc('pop', { queue_name: 'tasks' })).data).toMatchObject([{ msg_id: 3 }]);
    const refused = await own.rpc('send', { queue_name: 'tasks', message: { owner: 'other' } });
    expect(refused.error?.code).toBe('42501');
    const anonymous = await clientOf(app).schema('pgmq_public').rpc('pop', { queue_name: 'tasks' });
    expect(anonymous.error?.code).toBe('42501');
  });
});
