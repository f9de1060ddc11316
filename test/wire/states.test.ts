import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { RequestTraceResponse } from '../../contract/observed.ts';
import type { Specification } from '../../contract/specification.ts';
import type { Machine } from '../../contract/states.ts';
import { admin, createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { clone } from '../support/clone.ts';
import { withClient } from '../support/database.ts';

const node = inject('node');

const schema = `
  select ninefold.describe_app('Northwind Help', 'Answers customers.', 'Customers and agents', 'Support');
  select ninefold.define_role('agent', 'Answers tickets.');
  create type public.ticket_status as enum ('open', 'held', 'closed');
  create table public.tickets (
    id bigint generated always as identity primary key,
    owner uuid not null default auth.uid(),
    title text not null,
    status public.ticket_status not null default 'open',
    assignee uuid references auth.users (id),
    resolution text,
    closed_at timestamptz
  );
  alter table public.tickets enable row level security;
  create policy own on public.tickets to authenticated using (owner = (select auth.uid()) or (select ninefold.has_role('agent')));
  select ninefold.define_machine('public.tickets', 'status', 'open', $$[
    {"name": "hold", "from": "open", "to": "held"},
    {"name": "take", "from": "open", "to": "held", "roles": "agent", "sets": {"assignee": "auth.uid()"}},
    {"name": "close", "from": ["open", "held"], "to": "closed", "roles": "agent", "requires": "resolution", "sets": {"closed_at": "now()"}},
    {"name": "reopen", "from": "closed", "to": "open", "roles": "service_role"}
  ]$$);`;

let template: AppConnection;
beforeAll(async () => {
  template = await createTemplate(node, schema);
});

const sql = async (app: AppConnection, text: string) => (await runSql(node, app.ref, text)).results.at(-1)?.rows ?? [];

/** Creates an app with an agent and a customer who has a ticket. */
async function helpdesk(): Promise<{ app: AppConnection; agent: Member; customer: Member; id: number }> {
  const app = await createApp(node, { from: template.ref });
  const [agent, customer] = await Promise.all([signUpMember(app, 'agent'), signUpMember(app, 'customer')]);
  await sql(app, `select ninefold.grant_role('${agent.user.id}', 'agent')`);
  const { data } = await customer.client.from('tickets').insert({ title: 'Help' }).select('id').single().throwOnError();
  return { app, agent, customer, id: data.id };
}

const specificationOf = async (app: AppConnection): Promise<Specification['chapters']> =>
  (await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`)).chapters;

async function machineOf(app: AppConnection): Promise<Machine> {
  const [machine] = (await specificationOf(app)).states?.machines ?? [];
  if (!machine) throw new Error('the specification has no machine');
  return machine;
}

describe('the trace of a refused transition', () => {
  it('names the transition, the row and the member', async () => {
    const { app, customer, id } = await helpdesk();
    const refusedOf = async (change: object, row: number) => {
      const { session, user } = customer;
      const answer = await fetch(`${app.url}/rest/v1/tickets?id=eq.${row}`, {
        method: 'PATCH',
        headers: {
          apikey: app.publishable_key,
          authorization: `Bearer ${session.access_token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(change),
      });
      expect(answer.status).toBe(409);
      const { message } = (await answer.json()) as { message: string };
      const path = `/apps/${app.ref}/traces/${answer.headers.get('x-request-id')}`;
      const { trace } = await admin<RequestTraceResponse>(node, 'GET', path);
      expect(trace.who).toMatchObject({ role: 'authenticated', user_id: user.id });
      expect(trace.refused?.message).toBe(message);
      return trace.refused;
    };
    const about = { entity: 'public.tickets', field: 'status', from: 'open', key: { id: String(id) } };
    expect(await refusedOf({ status: 'closed' }, id)).toMatchObject({ ...about, transition: 'close', to: 'closed' });
    await customer.client.from('tickets').update({ status: 'held' }).eq('id', id).throwOnError();
    expect(await refusedOf({ status: 'open' }, id)).toMatchObject({
      ...about,
      transition: null,
      from: 'held',
      to: 'open',
    });
  });
});

describe('a member with the stock client', () => {
  it('sees the open transitions, takes one, and reads the past transitions of readable rows', async () => {
    const { agent, customer, id } = await helpdesk();
    const stranger = await signUpMember((await helpdesk()).app);
    const open = async ({ client }: Member) => {
      const { data } = await client
        .from('tickets')
        .select('id, transitions, state_changes')
        .eq('id', id)
        .throwOnError();
      return (data?.[0]?.transitions as { name: string }[] | undefined)?.map(({ name }) => name);
    };
    expect(await open(customer)).toEqual(['hold']);
    expect(await open(agent)).toEqual(['hold', 'take', 'close']);
    expect(await open(stranger)).toBeUndefined();
    const closed = await agent.client
      .from('tickets')
      .update({ status: 'closed', resolution: 'Done' })
      .eq('id', id)
      .select('status, closed_at, state_changes')
      .single()
      .throwOnError();
    expect(closed.data).toMatchObject({ status: 'closed', closed_at: expect.any(String) });
    const { data } = await customer.client.from('tickets').select('state_changes').eq('id', id).single().throwOnError();
    expect(data?.state_changes).toMatchObject([
      { from: null, to: 'open', member: customer.user.id, role: 'authenticated' },
      {
        from: 'open',
        to: 'closed',
        transition: 'close',
        member: agent.user.id,
        role: 'authenticated',
        at: expect.any(String),
      },
    ]);
  });

  it('gets 409 with the state, the refused transition and the open ones', async () => {
    const { customer, agent, id } = await helpdesk();
    const refused = await customer.client.from('tickets').update({ status: 'closed', resolution: 'x' }).eq('id', id);
    expect(refused.status).toBe(409);
    expect(refused.error).toMatchObject({
      code: 'NF001',
      message: 'The transition close, from open to closed, is not open to this caller.',
      details: `The row {"id": ${id}} of public.tickets stands in the state open.`,
      hint: 'Open to this caller now: hold (to held).',
    });
    const incomplete = await agent.client.from('tickets').update({ status: 'closed' }).eq('id', id);
    expect(incomplete).toMatchObject({ status: 409, error: { code: 'NF003' } });
    const inserted = await customer.client.from('tickets').insert({ title: 'x', status: 'closed' });
    expect(inserted).toMatchObject({ status: 409, error: { code: 'NF002' } });
  });

  it('is counted among the members of a role if chapter 6 lists the role', async () => {
    const { app, customer } = await helpdesk();
    const holders = async () =>
      (await specificationOf(app)).roles?.roles.flatMap(({ member_role, figures }) =>
        member_role === null ? [] : [`${member_role} ${figures?.members}`],
      );
    expect(await holders()).toEqual(['agent 1']);
    await sql(app, `select ninefold.grant_role('${customer.user.id}', 'agent')`);
    await expect.poll(holders, { timeout: 12_000 }).toEqual(['agent 2']);
    await sql(app, `select ninefold.revoke_role('${customer.user.id}', 'agent')`);
    await expect.poll(holders, { timeout: 12_000 }).toEqual(['agent 1']);
  });

  it('takes a transition in only one of two concurrent calls', async () => {
    const { app, agent, customer, id } = await helpdesk();
    await sql(app, `select ninefold.grant_role('${customer.user.id}', 'agent')`);
    const close = ({ client }: Member, resolution: string) =>
      client
        .from('tickets')
        .update({ status: 'closed', resolution })
        .eq('id', id)
        .eq('status', 'open')
        .select('resolution');
    const answers = await Promise.all([close(agent, 'agent'), close(customer, 'customer')]);
    expect(answers.map(({ data }) => data?.length).sort()).toEqual([0, 1]);
    expect(await sql(app, `select count(*) from ninefold.state_changes where transition = 'close'`)).toEqual([['1']]);
  });
});

describe('a state machine', () => {
  it('also applies to the service key, and to the owner on the SQL page in any mode', async () => {
    const { app, id } = await helpdesk();
    const service = clientOf(app, app.service_role_key);
    expect(await service.from('tickets').update({ status: 'closed' }).eq('id', id)).toMatchObject({
      status: 409,
      error: { code: 'NF001' },
    });
    await expect(sql(app, `update public.tickets set status = 'closed'`)).rejects.toThrow('NF001');
    const asReplica = `set session_replication_role = replica; update public.tickets set status = 'closed'`;
    await expect(sql(app, asReplica)).rejects.toThrow('NF001');
  });

  it('is the same in a copy of the app, and the specification shows a disabled trigger at once', async () => {
    const { app, agent, id } = await helpdesk();
    await agent.client.from('tickets').update({ status: 'held' }).eq('id', id).throwOnError();
    const copy = await createApp(node, { from: app.ref });
    const machine = await machineOf(copy);
    expect(machine).toMatchObject({
      id: 'public.tickets.status',
      enforced: true,
      problems: [],
      table: { held: { hold: null, take: null, close: 'closed', reopen: null } },
      figures: {
        rows: { held: 1 },
        median_stay_seconds: { open: expect.any(Number) },
        state_changes: [
          { from: null, to: 'open', transition: null, count: 1 },
          { from: 'open', to: 'held', transition: 'hold', count: 1 },
        ],
      },
    });
    await expect(sql(copy, `update public.tickets set status = 'closed'`)).rejects.toThrow('NF001');
    await sql(copy, 'alter table public.tickets disable trigger zz_ninefold_check_status');
    expect(await machineOf(copy)).toMatchObject({
      enforced: false,
      problems: [
        'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged, as the trigger after update is switched off',
      ],
    });
    await sql(copy, 'alter table public.tickets enable always trigger zz_ninefold_check_status');
    expect(await machineOf(copy)).toMatchObject({ enforced: true });
    const text = await (
      await fetch(`${node.url}/admin/v1/apps/${copy.ref}/specification?format=markdown`, {
        headers: { authorization: `Bearer ${node.operatorToken}` },
      })
    ).text();
    expect(text).toContain('Northwind Help: Answers customers.');
    expect((await specificationOf(copy)).purpose?.figures).toMatchObject({ entities: 1, members: 2 });
  });
});

describe('roles of members', () => {
  it('are granted and revoked with the secret key, as docs/roles.md describes', async () => {
    const { app, customer } = await helpdesk();
    const text = await readFile(join(clone, 'docs/roles.md'), 'utf8');
    await sql(
      app,
      /```sql\n(create function public\.grant_role[^`]+)```/.exec(text)?.[1] ?? 'the text has no functions',
    );
    const service = clientOf(app, app.secret_key);
    const given = { member: customer.user.id, role: 'agent' };
    await expect.poll(async () => (await service.rpc('grant_role', given)).error, { timeout: 5000 }).toBeNull();
    const holders = () =>
      sql(app, `select user_id from ninefold.member_roles where role = 'agent' order by granted_at`);
    expect((await holders()).at(-1)).toEqual([customer.user.id]);
    for (const name of ['grant_role', 'revoke_role'])
      expect((await customer.client.rpc(name, given)).error?.code).toBe('42501');
    expect((await service.rpc('revoke_role', given)).error).toBeNull();
    expect(await holders()).toHaveLength(1);
  });

  it('apply from the next call on and end with the revocation, whatever the token contains', async () => {
    const { app, agent, customer, id } = await helpdesk();
    const { data } = await agent.client.auth.refreshSession();
    expect(data.user?.app_metadata).toMatchObject({ provider: 'email', roles: ['agent'] });
    const { data: claims } = await agent.client.auth.getClaims();
    expect(claims?.claims.app_metadata).toMatchObject({ roles: ['agent'] });
    const sees = async () => (await agent.client.from('tickets').select('id').eq('id', id).throwOnError()).data.length;
    expect(await sees()).toBe(1);
    await sql(app, `select ninefold.revoke_role('${agent.user.id}', 'agent')`);
    expect(await sees()).toBe(0);
    expect((await agent.client.auth.getUser()).data.user?.app_metadata).toEqual({
      provider: 'email',
      providers: ['email'],
    });
    // Metadata gives no role to anybody.
    const service = clientOf(app, app.service_role_key);
    await service.auth.admin.updateUserById(customer.user.id, { app_metadata: { roles: ['agent'] } });
    const refreshed = await customer.client.auth.refreshSession();
    expect(refreshed.data.user?.app_metadata.roles).toBeUndefined();
  });
});

it('each definition reaches all nodes at once, and is recorded with its author', async () => {
  const app = await createApp(node, { from: template.ref });
  await withClient(app.database_url ?? '', async (client) => {
    await client.query('listen ninefold');
    for (const statement of [
      `select ninefold.describe_app('Other')`,
      `select ninefold.define_role('lead')`,
      `select ninefold.define_screen('/x', 'X', 'list', 'public.tickets')`,
      `select ninefold.drop_screen('/x')`,
      `update ninefold.transitions set roles = null where name = 'reopen'`,
      `select ninefold.drop_machine('public.tickets', 'status')`,
    ]) {
      const reported = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)));
      await sql(app, statement);
      expect([statement, await reported]).toEqual([statement, '{"type":"schema"}']);
    }
  });
  const noted = await sql(app, `select distinct what from ninefold.journal where kind = 'definition' order by 1`);
  expect(noted).toEqual([['app'], ['machines'], ['roles'], ['screens'], ['transitions']]);
});
