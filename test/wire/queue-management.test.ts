import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { BuilderAuditEntry } from '../../contract/audit.ts';
import { limits } from '../../contract/limits.ts';
import type { QueueList, QueueMessage, QueuePage } from '../../contract/queues.ts';
import { admin, createApp, runSql } from '../support/apps.ts';

const node = inject('node');

let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
});

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  admin<T>(node, method, `/apps/${app.ref}/queues${path}`, body);
const sql = async (text: string): Promise<(string | null)[][]> =>
  (await runSql(node, app.ref, text)).results.at(-1)?.rows ?? [];
const queue = async (name: string) => (await call<QueueList>('GET', '')).queues.find((each) => each.name === name);

describe('GET /queues', () => {
  it('counts waiting, visible, read, archived and sent messages of each queue', async () => {
    await sql(`
      select pgmq.create('counted');
      select pgmq.send_batch('counted', array['1','2','3','4','5']::jsonb[]);
      select pgmq.read('counted', 600, 2);
      select pgmq.archive('counted', 1);
      select pgmq.delete('counted', 5)`);
    expect(await queue('counted')).toEqual({
      name: 'counted',
      unlogged: false,
      created_at: expect.any(String),
      tables: { queue: 'q_counted', archive: 'a_counted' },
      length: 3,
      visible: 2,
      read: 1,
      archived: 1,
      sent: 5,
      oldest_at: expect.any(String),
      row_security: false,
      policies: [],
      grants: [],
    });
  });

  it('says which privileges and policies clients have, and whether pgmq_public is exposed', async () => {
    await sql(`
      select pgmq.create('shared');
      alter table pgmq.q_shared enable row level security;
      grant select, insert, update, delete on pgmq.q_shared to authenticated;
      grant insert (message, vt) on pgmq.q_shared to anon;
      create policy own on pgmq.q_shared to authenticated using (message ->> 'owner' = auth.uid()::text)`);
    expect(await queue('shared')).toMatchObject({
      row_security: true,
      policies: ['own'],
      grants: [
        { role: 'anon', privileges: ['INSERT'] },
        { role: 'authenticated', privileges: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
      ],
    });
    expect(await call<QueueList>('GET', '')).toMatchObject({ installed: true, exposed: false });
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', 'pgmq_public'] });
    expect(await call<QueueList>('GET', '')).toMatchObject({ exposed: true });
  });

  it('lists a queue whose table is missing, and other names as they were created', async () => {
    await sql(`select pgmq.create('Odd "name" %I ü'); select pgmq.create('broken'); drop table pgmq.a_broken`);
    expect(await queue('Odd "name" %I ü')).toMatchObject({ length: 0, tables: { queue: 'q_odd "name" %i ü' } });
    const broken = await queue('broken');
    expect([broken?.tables, broken?.length]).toEqual([undefined, 0]);
    await expect(call('GET', '/broken/messages')).rejects.toThrow('no queue');
    await sql(`select pgmq.drop_queue('broken')`);
  });

  it('reports that a database has no queues', async () => {
    const other = await createApp(node);
    await runSql(node, other.ref, 'drop schema pgmq cascade');
    expect(await admin(node, 'GET', `/apps/${other.ref}/queues`)).toMatchObject({ installed: false, queues: [] });
  });
});

describe('POST /queues and DELETE /queues/:queue', () => {
  it('creates, refuses a second queue of the name, and drops, as the owner and with its builder in the audit log', async () => {
    await call('POST', '', { name: 'Made' });
    await call('POST', '', { name: 'fast', unlogged: true });
    expect(await queue('fast')).toMatchObject({ unlogged: true });
    expect(
      await sql(
        `select tableowner like 'app_%' or tableowner = 'pg_database_owner' from pg_tables where tablename = 'q_made'`,
      ),
    ).toEqual([['t']]);
    await expect(call('POST', '', { name: 'made' })).rejects.toThrow('queue_exists');
    for (const name of ['', 'x'.repeat(48), 'a;b', 'a--b', 'a$b', "a'b"])
      await expect(call('POST', '', { name }), name).rejects.toThrow('validation_invalid');
    await call('DELETE', '/Made');
    await expect(call('DELETE', '/Made')).rejects.toThrow('not_found');
    expect(await sql(`select to_regclass('pgmq.q_made')`)).toEqual([[null]]);
    const entries = await admin<BuilderAuditEntry[]>(node, 'GET', `/apps/${app.ref}/audit?kind=builders`);
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['queue_created', 'queue_dropped']));
  });

  it('deletes all messages with purge and leaves the archive', async () => {
    await sql(
      `select pgmq.create('full'); select pgmq.send_batch('full', array['1','2','3']::jsonb[]); select pgmq.archive('full', 1)`,
    );
    expect(await call('POST', '/full/purge')).toEqual({ deleted: 2 });
    expect(await queue('full')).toMatchObject({ length: 0, archived: 1, sent: 3 });
  });
});

describe('the messages of a queue', () => {
  it('sends, shows, archives and deletes a message', async () => {
    await sql(`select pgmq.create('work')`);
    const body = { to: 'ada@example.com', list: [1, null, 'ü'] };
    expect(await call('POST', '/work/messages', { message: body, headers: { trace: 1 }, delay_seconds: 600 })).toEqual({
      id: '1',
    });
    for (const message of [null, 0, 'text']) await call('POST', '/work/messages', { message });
    await expect(call('POST', '/work/messages', {})).rejects.toThrow('validation_invalid');
    await expect(call('POST', '/work/messages', { message: 1, delay_seconds: -1 })).rejects.toThrow(
      'validation_invalid',
    );
    const page = await call<QueuePage>('GET', '/work/messages');
    expect(page.next).toBeNull();
    expect(page.messages.map((each) => [each.id, JSON.parse(each.body ?? ''), each.read_count])).toEqual([
      ['1', body, 0],
      ['2', null, 0],
      ['3', 0, 0],
      ['4', 'text', 0],
    ]);
    const [first] = page.messages;
    expect(first).toMatchObject({ headers: '{"trace": 1}', cut: false });
    expect(Date.parse(first?.visible_at ?? '') - Date.parse(first?.enqueued_at ?? '')).toBeGreaterThan(590_000);
    await call('POST', '/work/messages/1/archive');
    await expect(call('POST', '/work/messages/1/archive')).rejects.toThrow('not_found');
    await call('DELETE', '/work/messages/2');
    await expect(call('DELETE', '/work/messages/2')).rejects.toThrow('not_found');
    expect((await call<QueuePage>('GET', '/work/messages')).messages.map(({ id }) => id)).toEqual(['3', '4']);
    const archived = await call<QueuePage>('GET', '/work/messages?archived=true');
    expect(archived.messages).toMatchObject([{ id: '1', archived_at: expect.any(String) }]);
    expect(await call('GET', '/work/messages/1?archived=true')).toMatchObject({ id: '1', headers: '{"trace": 1}' });
    await call('DELETE', '/work/messages/1?archived=true');
    await expect(call('GET', '/work/messages/1?archived=true')).rejects.toThrow('not_found');
  });

  it('returns pages with the beginning of long messages, and one message complete', async () => {
    const perPage = limits.queueMessagesPerPage.default;
    const characters = limits.queueBodyCharacters.default;
    await sql(`select pgmq.create('long');
      select pgmq.send('long', to_jsonb(repeat('x', ${characters})));
      insert into pgmq.q_long (vt, message) select now(), null;
      select pgmq.send('long', to_jsonb(n)) from generate_series(1, ${perPage}) n`);
    const page = await call<QueuePage>('GET', '/long/messages');
    expect([page.messages.length, page.next]).toEqual([perPage, String(perPage)]);
    expect(page.messages.slice(0, 3)).toMatchObject([
      { body: `"${'x'.repeat(characters - 1)}`, cut: true },
      { body: null, cut: false },
      { body: '1', cut: false },
    ]);
    const rest = await call<QueuePage>('GET', `/long/messages?after=${page.next}`);
    expect([rest.messages.map(({ id }) => id), rest.next]).toEqual([[String(perPage + 1), String(perPage + 2)], null]);
    expect((await call<QueueMessage>('GET', '/long/messages/1')).body).toBe(`"${'x'.repeat(characters)}"`);
    for (const id of ['0', 'x', '9'.repeat(30)])
      await expect(call('GET', `/long/messages/${id}`), id).rejects.toThrow('not_found');
    await expect(call('GET', '/long/messages?after=x')).rejects.toThrow('validation_invalid');
  });

  it('returns the words of PostgreSQL if a trigger of the app refuses a message', async () => {
    await sql(`select pgmq.create('guarded');
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not today'; end $$;
      create trigger refuse before insert on pgmq.q_guarded for each row execute function public.refuse()`);
    await expect(call('POST', '/guarded/messages', { message: 1 })).rejects.toThrow('not today');
    await expect(call('GET', '/absent/messages')).rejects.toThrow('not_found');
  });
});
