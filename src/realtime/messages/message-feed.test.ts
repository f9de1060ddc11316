import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import type { Pool } from '../../database/pool.ts';
import { MessageFeed } from './message-feed.ts';
import type { StoredMessage } from './message-reader.ts';
import { parseReplay, replayMessages } from './replay.ts';

let database: AppDatabase;
let authenticator: Pool;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('messages');
  authenticator = database.as('app_authenticator');
  owner = database.as('app_owner');
});

afterAll(() => database.stop());

beforeEach(() => scriptIn(owner, 'truncate realtime.messages'));

const textOf = ({ payload }: StoredMessage): string => payload?.bytes.toString() ?? '';

/** A feed that collects its messages, and stops at the end of `use`. */
async function withFeed(
  topics: readonly string[],
  use: (seen: StoredMessage[], gaps: string[], feed: MessageFeed) => Promise<void>,
): Promise<void> {
  const seen: StoredMessage[] = [];
  const gaps: string[] = [];
  const feed = new MessageFeed({
    database: authenticator,
    maxPayloadBytes: () => 1000,
    deliver: (message) => seen.push(message),
    onGap: (reason) => gaps.push(reason),
  });
  for (const topic of topics) feed.watch(topic);
  await feed.ready();
  try {
    await use(seen, gaps, feed);
  } finally {
    feed.close();
  }
}

describe('MessageFeed', () => {
  it('delivers what SQL sends to a watched topic, in order, with its payload unchanged', async () => {
    await withFeed(['room', 'a\0b', '\ud800'], async (seen) => {
      await scriptIn(
        owner,
        `select realtime.send('{"id":1,"b":2}', 'hi', 'room', false), realtime.send('{"n":2}', 'again', 'room'),
          realtime.send('{}', 'hi', 'elsewhere'), realtime.send_binary('\\x0001ff', 'bytes', 'room')`,
      );
      await expect.poll(() => seen.length).toBe(3);
      expect(seen.map(({ event, isPrivate }) => [event, isPrivate])).toEqual([
        ['hi', false],
        ['again', true],
        ['bytes', true],
      ]);
      expect(textOf(seen[0] as StoredMessage)).toBe('{"b": 2, "id": 1}');
      expect(JSON.parse(textOf(seen[1] as StoredMessage))).toEqual({ n: 2, id: seen[1]?.id });
      expect(seen[2]?.payload).toEqual({ encoding: 'binary', bytes: Buffer.of(0, 1, 255) });
    });
  });

  it('delivers each committed message once, also of transactions that overlap and of savepoints', async () => {
    await withFeed(['room'], async (seen, gaps, feed) => {
      const pools = Array.from({ length: 4 }, () => database.as('app_owner'));
      let committed = 0;
      await Promise.all(
        pools.map(async (pool, writer) => {
          for (let i = 0; i < 15; i++) {
            const sql = `select realtime.send('{"id":"${writer} ${i}"}', 'hi', 'room');
              select pg_sleep(${(i * 7 + writer * 3) % 40} / 1000.0)`;
            const isUndone = i % 5 === 4;
            if (!isUndone) committed += 1;
            await pool
              .transaction(async (tx) => {
                await tx.script(sql);
                if (isUndone) throw new Error('undone');
              })
              .catch((error: Error) => expect(error.message).toBe('undone'));
            feed.poke();
          }
        }),
      );
      await expect.poll(() => seen.length).toBe(committed);
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(new Set(seen.map(textOf)).size).toBe(committed);
      expect(seen.length).toBe(committed);
      expect(gaps).toEqual([]);
    });
  });

  it('delivers at once what a transaction inserted before the last read, and commits after others', async () => {
    await withFeed(['room'], async (seen) => {
      const long = database.as('app_owner');
      await long.transaction(async (tx) => {
        await tx.script(`select realtime.send('{}', 'early', 'room')`);
        await scriptIn(owner, `select realtime.send('{}', 'late', 'room')`);
        await expect.poll(() => seen.length).toBe(1);
        // The next polls find nothing new.
        await new Promise((resolve) => setTimeout(resolve, 500));
      });
      const committed = performance.now();
      await expect.poll(() => seen.map(({ event }) => event)).toEqual(['late', 'early']);
      // Without knowledge of the transaction, a read would follow after five seconds.
      expect(performance.now() - committed).toBeLessThan(2500);
    });
  });

  it('delivers more rows than one page has', async () => {
    await withFeed(['room'], async (seen, gaps) => {
      await scriptIn(
        owner,
        `insert into realtime.messages (topic, extension, event, payload)
          select 'room', 'broadcast', 'n', to_jsonb(n) from generate_series(1, 1234) n`,
      );
      await expect.poll(() => seen.length).toBe(1234);
      expect(seen.map((message) => Number(textOf(message)))).toEqual(Array.from({ length: 1234 }, (_, i) => i + 1));
      expect(gaps).toEqual([]);
    });
  });

  it('leaves out and reports too large payloads and too many rows, and delivers the next message', async () => {
    await withFeed(['room'], async (seen, gaps) => {
      await scriptIn(owner, `select realtime.send(jsonb_build_object('t', repeat('x', 1000)), 'large', 'room')`);
      await expect.poll(() => gaps).toEqual([expect.stringMatching('too large')]);
      await scriptIn(
        owner,
        `insert into realtime.messages (topic, extension, event, payload)
          select 'room', 'broadcast', 'n', '{}' from generate_series(1, 25000)`,
      );
      await expect.poll(() => gaps).toHaveLength(2);
      const many = seen.length;
      expect(many).toBeGreaterThanOrEqual(20_000);
      expect(many).toBeLessThan(25_000);
      await scriptIn(owner, `select realtime.send('{}', 'next', 'room')`);
      await expect.poll(() => seen.at(-1)?.event).toBe('next');
      expect(seen).toHaveLength(many + 1);
    });
  });

  it('does not read while no topic is watched', async () => {
    let reads = 0;
    const feed = new MessageFeed({
      database: {
        run: (statements) => {
          reads += 1;
          return authenticator.run(statements);
        },
      },
      maxPayloadBytes: () => 1000,
      deliver: () => undefined,
      onGap: () => undefined,
    });
    feed.poke();
    const end = feed.watch('room');
    await feed.ready();
    expect(reads).toBe(1);
    end();
    feed.poke();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reads).toBe(1);
  });

  it('reads as the service role, and survives a table that the owner has replaced', async () => {
    await scriptIn(
      owner,
      `alter table realtime.messages rename to kept;
      create function public.spied() returns text language plpgsql as $$ begin
        raise exception 'runs as % of %', current_user, session_user; end $$;
      create view realtime.messages as select k.topic, k.extension, k.payload, public.spied() as event, k.private, k.inserted_at,
        k.id, k.binary_payload, k.transaction_id, k.number from realtime.kept k;
      grant select on realtime.messages to service_role;
      grant select on realtime.kept to service_role;`,
    );
    try {
      await withFeed(['room'], async (seen, gaps) => {
        await scriptIn(
          owner,
          `insert into realtime.kept (topic, extension, event, payload) values ('room', 'broadcast', 'n', '{}')`,
        );
        await expect.poll(() => gaps).toEqual([expect.stringMatching('runs as service_role of app_authenticator')]);
        expect(seen).toEqual([]);
      });
    } finally {
      await scriptIn(
        owner,
        'drop view realtime.messages; drop function public.spied; alter table realtime.kept rename to messages',
      );
    }
  });
});

describe('replayMessages', () => {
  it('returns the last private messages of the topic since a time, in their order', async () => {
    await scriptIn(
      owner,
      `insert into realtime.messages (topic, extension, event, payload, private, inserted_at)
        select topic, 'broadcast', 'n', to_jsonb(n), topic <> 'public', (now() at time zone 'UTC') - n * interval '90 seconds'
        from generate_series(-5, 40) n, unnest(array['room', 'other', 'public']) topic`,
    );
    const numbers = async (topic: string, since: number, limit?: number) => {
      const request = parseReplay({ since, ...(limit !== undefined && { limit }) }, true);
      return (await replayMessages(authenticator, topic, request, 1000)).map((message) => Number(textOf(message)));
    };
    expect(await numbers('room', 0, 3)).toEqual([2, 1, 0]);
    expect(await numbers('room', 0, 100)).toHaveLength(25);
    expect(await numbers('room', Date.now() - 200_000)).toEqual([2, 1, 0]);
    expect(await numbers('room', Date.now() + 3_600_000)).toEqual([]);
    expect(await numbers('public', 0)).toEqual([]);
  });

  it('returns the last messages that fit into four megabytes', async () => {
    await scriptIn(
      owner,
      `insert into realtime.messages (topic, extension, event, payload, private)
        select 'room', 'broadcast', repeat('e', case when n = 1 then 5000 else 5 end), to_jsonb(repeat('x', 1000000)), true
        from generate_series(1, 8) n`,
    );
    const request = parseReplay({ since: 0 }, true);
    expect(await replayMessages(authenticator, 'room', request, 2_000_000)).toHaveLength(4);
  });

  it('refuses public channels and other values than integers', () => {
    expect(() => parseReplay({ since: 0 }, false)).toThrow('Replay is not allowed for public channels');
    for (const value of [
      null,
      5,
      'x',
      {},
      { since: '1' },
      { since: 1.5 },
      { since: 1e300 },
      { since: 0, limit: 'x' },
    ]) {
      expect(() => parseReplay(value, true)).toThrow('Replay params are not valid');
    }
    expect(parseReplay({ since: -5, limit: 0 }, true)).toEqual({ since: 0, limit: 1 });
  });
});

describe('realtime.send and realtime.broadcast_changes', () => {
  const warnings = 'create temporary table caught (message text)';

  it('send a changed row with the shape of Supabase', async () => {
    await scriptIn(
      owner,
      `create table public.notes (id int primary key, body text);
      create function public.note_changed() returns trigger security definer language plpgsql as $$
      begin
        perform realtime.broadcast_changes('note:' || coalesce(new.id, old.id)::text, tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
      end $$;
      create trigger note_changed after insert or update or delete on public.notes for each row execute function public.note_changed();`,
    );
    await withFeed(['note:1'], async (seen) => {
      await scriptIn(owner, `insert into notes values (1, 'a'); update notes set body = 'b'; delete from notes;`);
      await expect.poll(() => seen.length).toBe(3);
      expect(seen.map((message) => [message.event, message.isPrivate, JSON.parse(textOf(message))])).toEqual([
        [
          'INSERT',
          true,
          expect.objectContaining({
            operation: 'INSERT',
            table: 'notes',
            schema: 'public',
            record: { id: 1, body: 'a' },
            old_record: null,
          }),
        ],
        ['UPDATE', true, expect.objectContaining({ record: { id: 1, body: 'b' }, old_record: { id: 1, body: 'a' } })],
        ['DELETE', true, expect.objectContaining({ record: null, old_record: { id: 1, body: 'b' } })],
      ]);
    });
    await scriptIn(owner, 'drop table public.notes; drop function public.note_changed');
  });

  it('do not fail the transaction of a caller whom no policy lets send', async () => {
    await scriptIn(
      owner,
      `${warnings};
      set local role authenticated;
      select realtime.send('{}', 'hi', 'room');
      select realtime.send('[]', 'hi', 'room');
      select realtime.send_binary('\\x00', 'hi', 'room');
      reset role;
      select realtime.send('[]', 'hi', 'room');
      select realtime.send('{}', 'hi', null);`,
    );
    const [count] = await owner.run([{ text: 'select count(*) from realtime.messages', params: [] }]);
    expect(count?.rows[0]?.[0]?.toString()).toBe('0');
  });
});

describe('ninefold.delete_old_messages', () => {
  it('deletes what is older than three days, and returns when the next messages are', async () => {
    await scriptIn(
      owner,
      `insert into realtime.messages (topic, extension, event, inserted_at)
        select 'room', 'broadcast', 'n', (now() at time zone 'UTC') - n * interval '12 hours' from generate_series(0, 30) n`,
    );
    const tidy = 'select extract(epoch from ninefold.delete_old_messages() - now())::int';
    const results = await authenticator.run([
      { text: `select set_config('role', 'service_role', true)`, params: [] },
      { text: tidy, params: [] },
    ]);
    const seconds = Number(results[1]?.rows[0]?.[0]?.toString());
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(2 * 86_400);
    const [left] = await owner.run([
      { text: `select max(now() at time zone 'UTC' - inserted_at)::text, count(*) from realtime.messages`, params: [] },
    ]);
    expect(Number(left?.rows[0]?.[1]?.toString())).toBeGreaterThanOrEqual(6);
    expect(left?.rows[0]?.[0]?.toString()).toMatch(/^(?:2 days|3 days 00:00:00)/);
    await scriptIn(owner, 'truncate realtime.messages');
    const [, none] = await authenticator.run([
      { text: `select set_config('role', 'service_role', true)`, params: [] },
      { text: tidy, params: [] },
    ]);
    expect(none?.rows[0]?.[0]).toBeNull();
  });
});
