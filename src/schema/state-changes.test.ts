import { describe, expect, it } from 'vitest';
import {
  ada,
  agent,
  become,
  bob,
  by,
  type Caller,
  calls,
  customer,
  database,
  define,
  open,
  owner,
  refusal,
  rows,
  serviceKey,
  stateChanges,
  status,
  useTicketsWithStates,
} from '../../test/support/tickets-with-states.ts';
import { rowsAsText } from '../database/statement.ts';

useTicketsWithStates();

describe('a write to a table with a state machine', () => {
  it('takes an allowed transition, which sets its fields, and is recorded with the caller', async () => {
    const [row] = await by(
      agent,
      `update public.tickets set status = 'closed', resolution = 'done', closed_by = '${bob}' returning closed_by, closed_at = now() as now, times`,
    );
    expect(row).toEqual({ closed_by: ada, now: 't', times: '1' });
    expect(await stateChanges()).toEqual([
      { transition: null, from_state: null, to_state: 'open', member: null, role: 'pg_database_owner' },
      { transition: 'close', from_state: 'open', to_state: 'closed', member: ada, role: 'authenticated' },
    ]);
  });

  it('is refused if no transition allows it, and the error names the row’s state and the allowed transitions', async () => {
    expect(await refusal(by(customer, `update public.tickets set status = 'closed'`))).toMatchObject({
      sqlstate: 'NF001',
      message: 'The transition close, from open to closed, is not open to this caller.',
      detail: 'The row {"id": 1} of public.tickets stands in the state open.',
      hint: 'Open to this caller now: hold (to held).',
      table: 'tickets',
      column: 'status',
    });
    expect(await refusal(by(serviceKey, `update public.tickets set status = 'lost'`))).toMatchObject({
      sqlstate: 'NF001',
      message: 'No transition leads from open to lost.',
    });
    expect(await stateChanges()).toHaveLength(1);
  });

  it('is refused if a required field is empty, and the error names the field', async () => {
    expect(await refusal(by(agent, `update public.tickets set status = 'closed', resolution = ''`))).toMatchObject({
      sqlstate: 'NF003',
      message: 'The transition close, from open to closed, needs a value for resolution.',
    });
  });

  it('is checked with the values of the row before the write, so that the write itself cannot make a condition true', async () => {
    await owner.script(`update public.tickets set assignee = '${bob}'`);
    expect(
      await refusal(by(agent, `update public.tickets set status = 'closed', resolution = 'x', assignee = '${ada}'`)),
    ).toMatchObject({ sqlstate: 'NF001' });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the service key', () => by(serviceKey, `update public.tickets set status = 'closed', resolution = 'x'`)],
    ['the owner', () => owner.script(`update public.tickets set status = 'closed', resolution = 'x'`)],
    ['the superuser', () => database.pool.script(`update public.tickets set status = 'closed', resolution = 'x'`)],
    [
      'the superuser as a replica',
      () =>
        database.pool.script(
          `set session_replication_role = replica; update public.tickets set status = 'closed', resolution = 'x'`,
        ),
    ],
    [
      'an upsert',
      () =>
        by(
          serviceKey,
          `insert into public.tickets (id, status) values (1, 'closed') on conflict (id) do update set status = excluded.status`,
        ),
    ],
    [
      'a merge',
      () =>
        by(
          serviceKey,
          `merge into public.tickets t using (select 1 as id) s on t.id = s.id when matched then update set status = 'closed'`,
        ),
    ],
    [
      'a function with its owner’s rights',
      async () => {
        await owner.script(`create function public.force() returns void language sql security definer
          as $$ update public.tickets set status = 'lost' $$`);
        await by(customer, 'select public.force()');
      },
    ],
    [
      'a trigger of the app that comes after all others',
      async () => {
        await owner.script(`create function public.force() returns trigger language plpgsql
            as $$ begin new.status = 'lost'; return new; end $$;
          create trigger zzz_force before update on public.tickets for each row execute function public.force()`);
        await by(agent, 'update public.tickets set priority = 2');
      },
    ],
    [
      'a view',
      async () => {
        await owner.script(
          'create view public.mine as select * from public.tickets; grant all on public.mine to authenticated',
        );
        await by(customer, `update public.mine set status = 'lost'`);
      },
    ],
  ])('is also checked if it is made through %s', async (_, write) => {
    expect(await refusal(write())).toMatchObject({ sqlstate: 'NF001' });
    expect(await status()).toBe('open');
  });

  it('records no state change if the row keeps its state', async () => {
    await by(customer, `update public.tickets set priority = 5, status = 'open'`);
    expect(await stateChanges()).toHaveLength(1);
  });

  it('may take an allowed transition by an upsert, even if the row of the upsert would not be valid as a new row', async () => {
    await by(
      customer,
      `insert into public.tickets (id, status) values (1, 'held') on conflict (id) do update set status = excluded.status`,
    );
    expect(await status()).toBe('held');
    expect(await stateChanges()).toHaveLength(2);
  });

  it('is refused completely if one of several rows may not change its state', async () => {
    await owner.script(`insert into public.tickets (owner, status) values ('${bob}', 'closed')`);
    expect(await refusal(by(customer, `update public.tickets set status = 'held'`))).toMatchObject({
      sqlstate: 'NF001',
    });
    expect(await status()).toBe('open');
  });

  it('takes the first allowed transition if several connect the same states', async () => {
    await define(`[
      {"name": "drop", "from": "open", "to": "closed", "roles": ["agent"], "sets": {"resolution": "'dropped'"}},
      {"name": "withdraw", "from": "open", "to": "closed", "when": "owner = auth.uid()", "sets": {"resolution": "'withdrawn'"}}]`);
    await by(customer, `update public.tickets set status = 'closed'`);
    expect(await rows('select resolution from public.tickets')).toEqual([{ resolution: 'withdrawn' }]);
    expect((await stateChanges()).at(-1)?.transition).toBe('withdraw');
  });

  it('is refused as soon as the caller’s role is revoked, even with a token from before that', async () => {
    expect(await open(agent)).toContain('close');
    await owner.script(`select ninefold.revoke_role('${ada}', 'agent')`);
    const claims = { sub: ada, role: 'authenticated', app_metadata: { roles: ['agent'] } };
    await owner.script('drop policy everyone on public.tickets; create policy everyone on public.tickets using (true)');
    const tried = by(
      { role: 'authenticated', claims },
      `update public.tickets set status = 'closed', resolution = 'x'`,
    );
    expect(await refusal(tried)).toMatchObject({ sqlstate: 'NF001' });
    await owner.script(`select ninefold.grant_role('${ada}', 'agent')`);
  });
});

describe('two members who write at once', () => {
  it('cannot both take one transition, because the second write sees the row as the first left it', async () => {
    let second: Promise<unknown> = Promise.resolve();
    await calls.transaction(async (first) => {
      await by(agent, `update public.tickets set status = 'closed', resolution = 'first'`, first);
      second = by(
        agent,
        `update public.tickets set status = 'closed', resolution = 'second' where status <> 'closed' returning id`,
      );
      // The statement must wait for the row. It must not end before the first transaction commits.
      await expect
        .poll(async () => (await rows('select count(*) as n from pg_locks where not granted'))[0]?.n)
        .toBe('1');
    });
    expect(await second).toEqual([]);
    expect((await stateChanges()).map(({ transition }) => transition)).toEqual([null, 'close']);
    expect(await rows('select resolution, times from public.tickets')).toEqual([{ resolution: 'first', times: '1' }]);
  });

  it('are evaluated one after the other if they take different transitions', async () => {
    let second: Promise<unknown> = Promise.resolve();
    await calls.transaction(async (first) => {
      await by(agent, `update public.tickets set status = 'closed', resolution = 'first'`, first);
      second = refusal(by(customer, `update public.tickets set status = 'held'`));
      await expect
        .poll(async () => (await rows('select count(*) as n from pg_locks where not granted'))[0]?.n)
        .toBe('1');
    });
    expect(await second).toMatchObject({ message: 'No transition leads from closed to held.' });
  });
});

describe('a new row of a table with a state machine', () => {
  it('starts in the initial state, also if it names no state', async () => {
    const made = await by(customer, `insert into public.tickets (status) values (default), ('open') returning status`);
    expect(made.map((row) => row.status)).toEqual(['open', 'open']);
    await owner.script('alter table public.tickets alter status drop default');
    expect(await by(customer, 'insert into public.tickets (priority) values (2) returning status')).toEqual([
      { status: 'open' },
    ]);
  });

  it.each<[string, Caller]>([
    ['a member', customer],
    ['the service key', serviceKey],
  ])('cannot start in another state for %s', async (_, caller) => {
    expect(await refusal(by(caller, `insert into public.tickets (status) values ('closed')`))).toMatchObject({
      sqlstate: 'NF002',
      message: 'A new row of public.tickets starts in the state open, not in closed.',
    });
  });

  it('may be in any known state if the owner inserts it, and is recorded as a state change', async () => {
    await owner.script(`insert into public.tickets (status) values ('closed')`);
    expect((await stateChanges()).at(-1)).toMatchObject({ from_state: null, to_state: 'closed' });
    expect(await refusal(owner.script(`insert into public.tickets (status) values ('lost')`))).toMatchObject({
      sqlstate: 'NF002',
    });
  });
});

describe('open_transitions', () => {
  it('returns the transitions of a row that the caller may use', async () => {
    expect(await open(customer)).toEqual(['hold']);
    expect(await open(agent)).toEqual(['hold', 'close']);
    await owner.script('update public.tickets set priority = 9');
    expect(await open(agent)).toEqual(['hold']);
    await by(customer, `update public.tickets set status = 'held'`);
    expect(await open(customer)).toEqual([]);
    expect(await open(serviceKey)).toEqual(['reopen']);
  });
});

describe('ninefold.state_changes', () => {
  const seen = async (caller: Caller) =>
    Number((await by(caller, 'select count(*) as n from ninefold.state_changes'))[0]?.n);

  it('can be read by callers who can read the row, and by no other callers', async () => {
    await owner.script(`insert into public.tickets (owner) values ('${ada}')`);
    expect(await seen(customer)).toBe(1);
    expect(await seen(agent)).toBe(2);
    expect(await seen({ role: 'anon', claims: {} })).toBe(0);
    expect(await seen(serviceKey)).toBe(2);
    expect(await by(customer, 'select t.state_changes from public.tickets t')).toHaveLength(1);
    // The caller constructs a row that has the key of a hidden row. It returns no state changes of the hidden row.
    const [made] = await by(
      customer,
      `select public.state_changes(jsonb_populate_record(null::public.tickets, '{"id": 2}')) as p`,
    );
    expect(made?.p).toBe('[]');
  });

  it('cannot be read without the privilege to read the table or its key', async () => {
    await owner.script(
      'revoke all on public.tickets from authenticated; grant select (status) on public.tickets to authenticated',
    );
    expect(await seen(agent)).toBe(0);
    await owner.script('revoke usage on schema public from authenticated');
    expect(await seen(agent)).toBe(0);
  });

  it('can be read if the policies call functions that find tables by the caller’s search path', async () => {
    await owner.script(`create table public.teams (member uuid); insert into public.teams values ('${bob}'); grant select on public.teams to authenticated;
      create function public.in_team() returns boolean language sql stable as 'select exists (select from teams where member = auth.uid())';
      drop policy everyone on public.tickets; create policy team on public.tickets using (public.in_team());`);
    const [, , result] = await calls.run([
      become(customer),
      { text: `select set_config('search_path', 'public', true)`, params: [] },
      { text: 'select t.state_changes from public.tickets t', params: [] },
    ]);
    expect(result && JSON.parse(rowsAsText(result)[0]?.state_changes ?? '')).toHaveLength(1);
  });

  it('stay with a row whose key changes, and cannot be read any more after the row is deleted', async () => {
    await owner.script('update public.tickets set id = 7');
    expect(await rows('select key from ninefold.state_changes')).toEqual([{ key: '{"id": 7}' }]);
    await owner.script(`delete from public.tickets; insert into public.tickets (id, owner) values (7, '${bob}')`);
    expect(await seen(customer)).toBe(1);
    expect(await stateChanges()).toHaveLength(2);
  });

  it('cannot be written by a member or a key', async () => {
    const forged = `insert into ninefold.state_changes (entity, field, key, to_state, role) values ('public.tickets', 'status', '{"id": 1}', 'lost', 'x')`;
    for (const caller of [customer, serviceKey]) {
      expect(await refusal(by(caller, forged))).toMatchObject({ sqlstate: '42501' });
      expect(await refusal(by(caller, 'update ninefold.state_changes set member = null'))).toMatchObject({
        sqlstate: '42501',
      });
    }
  });
});
