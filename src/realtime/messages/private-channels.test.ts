import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AppDatabase, scriptIn, startAppDatabase } from '../../../test/support/app-database.ts';
import type { Pool } from '../../database/pool.ts';
import { type Identity, serviceRole } from '../../identity/identity.ts';
import { PrivateChannels } from './private-channels.ts';

const ann = '00000000-0000-4000-8000-00000000000a';
const bob = '00000000-0000-4000-8000-00000000000b';

function member(sub: string, more: Record<string, unknown> = {}): Identity {
  const claims = { sub, role: 'authenticated', iat: 1, exp: 2, ...more };
  return {
    role: 'authenticated',
    claims,
    claimsJson: JSON.stringify(claims),
    userId: sub,
    sessionId: null,
    source: 'token',
  };
}

const anonymous: Identity = { ...member(''), role: 'anon', claims: {}, claimsJson: '{"role":"anon"}', userId: null };

let database: AppDatabase;
let authenticator: Pool;
let owner: Pool;
let channels: PrivateChannels;

beforeAll(async () => {
  database = await startAppDatabase('private-channels');
  authenticator = database.as('app_authenticator');
  owner = database.as('app_owner');
});

afterAll(() => database.stop());

beforeEach(async () => {
  channels = new PrivateChannels(authenticator);
  await scriptIn(
    database.pool,
    `do $$ declare p record; begin
      for p in select policyname from pg_policies where schemaname = 'realtime' loop
        execute format('drop policy %I on realtime.messages', p.policyname);
      end loop; end $$`,
  );
});

const none = { read: false, write: false };
const both = { read: true, write: true };

describe('PrivateChannels.rightsOn', () => {
  it('denies everything without a policy, except to the service role', async () => {
    expect(await channels.rightsOn(member(ann), 'room')).toEqual({ broadcast: none, presence: none });
    expect(await channels.rightsOn(anonymous, 'room')).toEqual({ broadcast: none, presence: none });
    expect(await channels.rightsOn(serviceRole, 'room')).toEqual({ broadcast: both, presence: both });
  });

  it('decides by extension, topic, member and claims as policies of public projects write them', async () => {
    await scriptIn(
      owner,
      `create table public.members (room text, user_id uuid);
      grant select on public.members to authenticated;
      insert into public.members values ('blue', '${ann}');
      create policy "read" on realtime.messages for select to authenticated using (
        exists (select 1 from public.members m where m.room = (select realtime.topic()) and m.user_id = (select auth.uid()))
        and realtime.messages.extension in ('broadcast', 'presence'));
      create policy "send" on "realtime"."messages" for insert to authenticated with check (
        realtime.messages.extension = 'broadcast' and topic like 'user:' || (select auth.uid()) || '%'
        or (auth.jwt() ->> 'plan' = 'pro' and extension = 'presence'));`,
    );
    expect(await channels.rightsOn(member(ann), 'blue')).toEqual({
      broadcast: { read: true, write: false },
      presence: { read: true, write: false },
    });
    expect(await channels.rightsOn(member(bob), 'blue')).toEqual({ broadcast: none, presence: none });
    expect(await channels.rightsOn(member(bob, { plan: 'pro' }), `user:${bob}:1`)).toEqual({
      broadcast: { read: false, write: true },
      presence: { read: false, write: true },
    });
    await scriptIn(owner, 'drop table public.members cascade');
  });

  it('leaves no rows and passes the headers', async () => {
    await scriptIn(
      owner,
      `create policy "all" on realtime.messages to anon
        using (current_setting('request.headers')::json ->> 'x-room' = 'blue') with check (true)`,
    );
    const rights = await channels.rightsOn(anonymous, 'room', '{"x-room":"blue"}');
    expect(rights).toEqual({ broadcast: both, presence: both });
    expect((await channels.rightsOn(anonymous, 'room')).broadcast).toEqual({ read: false, write: true });
    const [count] = await database.pool.run([{ text: 'select count(*) from realtime.messages', params: [] }]);
    expect(count?.rows[0]?.[0]?.toString()).toBe('0');
  });

  it('asks once for concurrent joins and for renewed tokens, and again after forget', async () => {
    let questions = 0;
    const counting = new PrivateChannels({
      run: (statements, options) => {
        questions += 1;
        return authenticator.run(statements, options);
      },
    });
    const joins = Array.from({ length: 50 }, (_, i) => counting.rightsOn(member(ann, { exp: i, iat: i }), 'room'));
    await Promise.all(joins);
    expect(questions).toBe(1);
    await counting.rightsOn(member(bob), 'room');
    await counting.rightsOn(member(ann), 'other');
    expect(questions).toBe(3);
    counting.forget();
    await counting.rightsOn(member(ann), 'room');
    expect(questions).toBe(4);
  });

  it('reports a policy that raises without its message, keeps the cause, and asks again the next time', async () => {
    await scriptIn(
      owner,
      `create policy "broken" on realtime.messages for select to authenticated using (1 / (length(topic) - 4) > 0)`,
    );
    const failed = channels.rightsOn(member(ann), 'room');
    await expect(failed).rejects.toMatchObject({
      code: 'RlsPolicyError',
      message: 'A policy on realtime.messages raised an error',
      cause: { message: 'division by zero' },
    });
    await scriptIn(owner, 'drop policy "broken" on realtime.messages');
    expect((await channels.rightsOn(member(ann), 'room')).broadcast.read).toBe(false);
  });

  it('ends policies that take too long, even if they lift the time limit', async () => {
    await scriptIn(
      owner,
      `create function public.stall() returns boolean language plpgsql as $$
        begin perform pg_sleep(3600); return true; end $$;
      create policy "slow" on realtime.messages for insert to authenticated with check (public.stall());
      create policy "lift" on realtime.messages for select to authenticated
        using (set_config('statement_timeout', '0', true) = '0');`,
    );
    await expect(new PrivateChannels(authenticator, 300).rightsOn(member(ann), 'room')).rejects.toMatchObject({
      code: 'RlsPolicyError',
      message: 'A policy on realtime.messages takes too long',
    });
    await scriptIn(owner, 'drop function public.stall cascade');
  });

  it('runs code of the owner with the privileges of the caller or the service role only', async () => {
    await scriptIn(
      owner,
      `create function public.spy() returns trigger language plpgsql as $$
        begin
          if current_user not in ('service_role', 'authenticated') or session_user <> 'app_authenticator' then
            raise exception 'runs as % of %', current_user, session_user;
          end if;
          return new;
        end $$;
      create trigger spy before insert on realtime.messages for each row execute function public.spy();`,
    );
    expect((await channels.rightsOn(member(ann), 'room')).broadcast).toEqual(none);
    await scriptIn(owner, 'drop function public.spy cascade');
  });
});
