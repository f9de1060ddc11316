import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createApp, runSql } from '../../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../../support/clients.ts';
import { expectSoundSpecification } from './sound-specification.ts';

const node = inject('node');

let app: AppConnection;
let ada: Member;
let bob: Member;
let agent: Member;
let lead: Member;

/** Ada and Bob are customers; the owner has appointed the lead, and the lead has appointed the agent. */
beforeAll(async () => {
  app = await createApp(node, { template: 'helpdesk' });
  ada = await signUpMember(app, 'ada');
  bob = await signUpMember(app, 'bob');
  agent = await signUpMember(app, 'agent');
  lead = await signUpMember(app, 'lead');
  await runSql(node, app.ref, `insert into public.agents (id, name, lead) values ('${lead.user.id}', 'Lea', true)`);
  const { data: found } = await lead.client.from('customers').select('id').eq('email', agent.email).single();
  const made = await lead.client.from('agents').insert({ id: found?.id, name: 'Gus' });
  expect(made.error).toBeNull();
});

async function ask({ client }: Member, subject = 'The printer does not print'): Promise<number> {
  const { data } = await client
    .from('tickets')
    .insert({ subject, description: 'It blinks.' })
    .select('id')
    .single()
    .throwOnError();
  return data.id;
}

const move = ({ client }: Pick<Member, 'client'>, id: number, change: Record<string, unknown>) =>
  client.from('tickets').update(change).eq('id', id).select('status, assignee, solved_at, closed_at');

const statusOf = async (id: number) =>
  (await lead.client.from('tickets').select('status').eq('id', id).single()).data?.status;

describe('a ticket', () => {
  it('can be solved and reopened', async () => {
    const id = await ask(ada);
    expect((await move(agent, id, { status: 'open' })).data).toMatchObject([
      { status: 'open', assignee: agent.user.id },
    ]);
    expect((await move(agent, id, { status: 'waiting' })).data).toMatchObject([{ status: 'waiting' }]);
    await ada.client.from('comments').insert({ ticket: id, body: 'It is a red light.' }).throwOnError();
    expect(await statusOf(id)).toBe('open');
    const solved = await move(agent, id, { status: 'solved', solution: 'Paper was missing.' });
    expect(solved.data).toMatchObject([{ status: 'solved', solved_at: expect.any(String) }]);
    expect((await move(ada, id, { status: 'closed' })).data).toMatchObject([{ closed_at: expect.any(String) }]);
    expect((await move(ada, id, { status: 'open' })).data).toMatchObject([{ status: 'open', closed_at: null }]);
    const { data } = await ada.client.from('tickets').select('state_changes').eq('id', id).single();
    expect(data?.state_changes.map((change: { transition: string }) => change.transition)).toEqual([
      ...[null, 'take', 'ask', 'answer', 'solve', 'close', 'reopen'],
    ]);
  });

  it('shows its customer and an agent the transitions that each may take', async () => {
    const id = await ask(ada);
    const openTo = async ({ client }: Member) => {
      const { data } = await client.from('tickets').select('transitions').eq('id', id).single();
      return data?.transitions.map((transition: { name: string }) => transition.name);
    };
    expect(await openTo(ada)).toEqual(['withdraw']);
    expect(await openTo(agent)).toEqual(['take', 'solve']);
  });

  it('refuses a transition that the caller may not take, and names the allowed ones', async () => {
    const id = await ask(ada);
    const refused = await move(ada, id, { status: 'solved', solution: 'Done.' });
    expect([refused.status, refused.error?.code]).toEqual([400, 'HD001']);
    const taken = await move(ada, id, { status: 'open' });
    expect([taken.status, taken.error?.code]).toEqual([409, 'NF001']);
    expect(taken.error?.hint).toContain('withdraw (to closed)');
    const server = await move({ client: clientOf(app, app.secret_key) }, id, { status: 'waiting' });
    expect([server.status, server.error?.code]).toEqual([409, 'NF001']);
    expect(await statusOf(id)).toBe('new');
  });

  it('cannot be solved without a solution', async () => {
    const id = await ask(ada);
    const refused = await move(agent, id, { status: 'solved' });
    expect([refused.status, refused.error?.code]).toEqual([409, 'NF003']);
    expect(refused.error?.message).toContain('solution');
    expect(await statusOf(id)).toBe('new');
  });

  it('can be reopened for 30 days and not later', async () => {
    const id = await ask(ada);
    await move(ada, id, { status: 'closed' }).throwOnError();
    await runSql(node, app.ref, `update public.tickets set closed_at = now() - interval '31 days' where id = ${id}`);
    const refused = await move(ada, id, { status: 'open' });
    expect([refused.status, refused.error?.code]).toEqual([409, 'NF001']);
  });

  it('starts in the state new, whatever the caller sends', async () => {
    const refused = await clientOf(app, app.secret_key)
      .from('tickets')
      .insert({ customer: ada.user.id, subject: 'Jumped', description: 'x', status: 'open' });
    expect([refused.status, refused.error?.code]).toEqual([409, 'NF002']);
  });

  it('explains invalid values in words', async () => {
    const { error } = await ada.client.from('tickets').insert({ subject: 'x', description: 'y' });
    expect(error).toMatchObject({ code: '23514', hint: 'A subject is 3 to 200 characters.' });
  });
});

describe('the rights of each role', () => {
  it('a customer sees only own tickets, and a caller without a session sees none', async () => {
    const id = await ask(ada);
    expect((await bob.client.from('tickets').select('id').eq('id', id)).data).toEqual([]);
    expect((await agent.client.from('tickets').select('id').eq('id', id)).data).toEqual([{ id }]);
    expect((await move(bob, id, { status: 'closed' })).data).toEqual([]);
    expect((await clientOf(app).from('tickets').select('id')).error?.code).toBe('42501');
    const forOther = await bob.client
      .from('tickets')
      .insert({ customer: ada.user.id, subject: 'In her name', description: 'x' });
    expect([forOther.status, forOther.error?.code]).toEqual([403, '42501']);
  });

  it('the team may change priority and solution, a customer may not', async () => {
    const id = await ask(ada);
    expect((await move(ada, id, { priority: 'urgent' })).error).toMatchObject({
      code: 'HD001',
      hint: 'Say it in a comment.',
    });
    expect((await move(agent, id, { priority: 'urgent' })).error).toBeNull();
    expect((await agent.client.from('tickets').update({ assignee: ada.user.id }).eq('id', id)).error).toMatchObject({
      code: '23503',
      hint: 'Tickets are assigned to agents.',
    });
  });

  it('internal notes are hidden from the customer, and a comment keeps the name that its author had then', async () => {
    const id = await ask(ada);
    await ada.client.from('comments').insert({ ticket: id, body: 'Any news?' }).throwOnError();
    await agent.client.from('comments').insert({ ticket: id, body: 'A nice one.', internal: true }).throwOnError();
    await agent.client.from('comments').insert({ ticket: id, body: 'Soon.' }).throwOnError();
    const read = async ({ client }: Member) =>
      (await client.from('comments').select('author_name, body').eq('ticket', id).order('id')).data;
    const adasName = ada.email.split('@')[0];
    expect(await read(ada)).toEqual([
      { author_name: adasName, body: 'Any news?' },
      { author_name: 'Gus', body: 'Soon.' },
    ]);
    expect(await read(agent)).toHaveLength(3);
    expect(await read(bob)).toEqual([]);
    const sneaky = await ada.client.from('comments').insert({ ticket: id, body: 'x', internal: true });
    expect(sneaky.error?.code).toBe('42501');
    expect((await bob.client.from('comments').insert({ ticket: id, body: 'x' })).error?.code).toBe('42501');
  });

  it('a closed ticket accepts no comment', async () => {
    const id = await ask(ada);
    await move(ada, id, { status: 'closed' }).throwOnError();
    expect((await ada.client.from('comments').insert({ ticket: id, body: 'And now?' })).error).toMatchObject({
      code: 'HD002',
      hint: 'Reopen it first, or open a new one.',
    });
  });

  it('only leads appoint and dismiss agents, and leads cannot dismiss themselves', async () => {
    const carl = await signUpMember(app, 'carl');
    const sees = async () => (await carl.client.from('tickets').select('id', { count: 'exact', head: true })).count;
    await ask(ada);
    expect((await agent.client.from('agents').insert({ id: carl.user.id, name: 'Carl' })).error?.code).toBe('42501');
    expect((await carl.client.from('agents').insert({ id: carl.user.id, name: 'Carl' })).error?.code).toBe('42501');
    expect(await sees()).toBe(0);
    await lead.client.from('agents').insert({ id: carl.user.id, name: 'Carl' }).throwOnError();
    expect(await sees()).toBeGreaterThan(0);
    await lead.client.from('agents').delete().eq('id', carl.user.id).throwOnError();
    expect(await sees()).toBe(0);
    expect((await lead.client.from('agents').delete().eq('id', lead.user.id).select()).data).toEqual([]);
    expect((await agent.client.from('agents').update({ lead: true }).eq('id', agent.user.id).select()).data).toEqual(
      [],
    );
  });

  it('a sign-up succeeds with any name, and the customer’s address follows the account’s address', async () => {
    const client = clientOf(app);
    const email = `dora-${crypto.randomUUID()}@example.com`;
    const { data, error } = await client.auth.signUp({
      email,
      password: 'a long password',
      options: { data: { name: ` ${'D'.repeat(300)} ` } },
    });
    expect(error).toBeNull();
    const { data: own } = await client.from('customers').select('id, name, email').throwOnError();
    expect(own).toEqual([{ id: data.user?.id, name: 'D'.repeat(120), email }]);
    const moved = `new-${email}`;
    const service = clientOf(app, app.secret_key);
    const changed = await service.auth.admin.updateUserById(data.user?.id ?? '', { email: moved });
    expect(changed.error).toBeNull();
    expect((await client.from('customers').select('email').single()).data).toEqual({ email: moved });
  });
});

describe('the queue', () => {
  it('gives two agents who take the next ticket at once two different ones, most urgent first, and reports an empty queue', async () => {
    const desk = await createApp(node, { template: 'helpdesk' });
    const [customer, first, second] = await Promise.all([
      signUpMember(desk, 'customer'),
      signUpMember(desk, 'first'),
      signUpMember(desk, 'second'),
    ]);
    await runSql(
      node,
      desk.ref,
      `insert into public.agents (id, name, lead) values ('${first.user.id}', 'One', true), ('${second.user.id}', 'Two', false)`,
    );
    const old = await ask(customer, 'An old question');
    const urgent = await ask(customer, 'An urgent question');
    await ask(customer, 'Another question');
    await move(first, urgent, { priority: 'urgent' }).throwOnError();
    const taken = await Promise.all([first.client.rpc('take_next_ticket'), second.client.rpc('take_next_ticket')]);
    expect(new Set(taken.map(({ data }) => data?.id))).toEqual(new Set([urgent, old]));
    expect(taken.map(({ data }) => data?.assignee)).toEqual([first.user.id, second.user.id]);
    const { data: queue } = await first.client.from('queue').select('subject, status, assignee').throwOnError();
    expect(queue.map(({ subject }) => subject)).toEqual(['An urgent question', 'An old question', 'Another question']);
    expect((await first.client.from('workload').select('name, open')).data).toEqual([
      { name: 'One', open: 1 },
      { name: 'Two', open: 1 },
    ]);
    await second.client.rpc('take_next_ticket').throwOnError();
    const none = await second.client.rpc('take_next_ticket');
    expect([none.status, none.error?.code, none.error?.message]).toEqual([400, 'HD003', 'No new ticket is waiting.']);
  });

  it('returns only rows that the caller may read to a text search', async () => {
    const id = await ask(ada, 'The flux capacitor hums');
    const find = async ({ client }: Member, words: string) =>
      (await client.rpc('search_tickets', { words }).select('id')).data;
    expect(await find(ada, 'flux -printer')).toEqual([{ id }]);
    expect(await find(agent, '"flux capacitor"')).toEqual([{ id }]);
    expect(await find(bob, 'flux')).toEqual([]);
  });

  it('returns tickets with topic, customer and agent in one call', async () => {
    const { data: topic } = await ada.client.from('topics').select('id').eq('name', 'Billing').single().throwOnError();
    const { data } = await ada.client
      .from('tickets')
      .insert({ topic: topic.id, subject: 'The invoice', description: 'Twice.' })
      .select('status, topics(name), customers(name), agents(name), comments(body)')
      .single()
      .throwOnError();
    expect(data).toMatchObject({ status: 'new', topics: { name: 'Billing' }, agents: null, comments: [] });
    expect((await ada.client.from('topics').insert({ name: 'Mine' })).error?.code).toBe('42501');
    expect((await lead.client.from('topics').insert({ name: 'Billing' })).error).toMatchObject({
      code: '23505',
      hint: 'There is a topic of this name already.',
    });
  });
});

describe('the files of a ticket', () => {
  const attachments = ({ client }: Member) => client.storage.from('attachments');

  async function attach(member: Member, name = 'screen.png'): Promise<string> {
    const path = `${member.user.id}/tickets/${crypto.randomUUID()}/${name}`;
    const { error } = await attachments(member).upload(path, new Blob(['bytes'], { type: 'image/png' }));
    expect(error).toBeNull();
    return path;
  }

  const sees = async (member: Member, path: string): Promise<boolean> =>
    (await attachments(member).download(path)).error === null;

  it('are visible to those who see the ticket, and to nobody else', async () => {
    const path = await attach(ada);
    expect([await sees(ada, path), await sees(bob, path), await sees(agent, path)]).toEqual([true, false, true]);
    const id = await ask(ada);
    await ada.client
      .from('tickets')
      .update({ attachments: [path] })
      .eq('id', id)
      .throwOnError();
    expect([await sees(bob, path), await sees(lead, path)]).toEqual([false, true]);
    expect((await attachments(bob).createSignedUrl(path, 60)).error).not.toBeNull();
    expect((await attachments(bob).createSignedUrls([path], 60)).data).toMatchObject([{ signedUrl: null }]);
    const { data: listed } = await attachments(bob).list(`${ada.user.id}/tickets`);
    expect(listed).toEqual([]);
    const { error } = await clientOf(app).storage.from('attachments').download(path);
    expect(error).not.toBeNull();
  });

  it('of a comment are visible to those who see the comment', async () => {
    const id = await ask(ada);
    const [open, internal] = [await attach(agent, 'answer.png'), await attach(agent, 'secret.png')];
    const say = (attached: string, isInternal: boolean) =>
      agent.client
        .from('comments')
        .insert({ ticket: id, body: 'See the file.', internal: isInternal, attachments: [attached] })
        .throwOnError();
    await say(open, false);
    await say(internal, true);
    expect([await sees(ada, open), await sees(ada, internal), await sees(bob, open)]).toEqual([true, false, false]);
    // A member who knows the name of a file cannot see it by adding it to a ticket of their own.
    const own = await ask(ada);
    const stolen = await ada.client
      .from('tickets')
      .update({ attachments: [internal] })
      .eq('id', own);
    expect([stolen.status, stolen.error?.code]).toEqual([400, 'HD004']);
    expect(await sees(ada, internal)).toBe(false);
  });

  it('of the team stay on a ticket, and all stay once it is closed', async () => {
    const id = await ask(ada);
    const [own, ofTeam] = [await attach(ada), await attach(agent, 'answer.png')];
    const files = ({ client }: Member, attached: string[]) =>
      client.from('tickets').update({ attachments: attached }).eq('id', id);
    await files(ada, [own]).throwOnError();
    await files(agent, [own, ofTeam]).throwOnError();
    expect((await files(ada, [own])).error?.code).toBe('HD005');
    await files(ada, [ofTeam]).throwOnError();
    await ada.client.from('tickets').update({ status: 'closed' }).eq('id', id).throwOnError();
    expect((await files(ada, [ofTeam, own])).error?.code).toBe('HD005');
  });

  it('go into the own folder only, and are deleted by their owner, or with the ticket', async () => {
    const foreign = `${ada.user.id}/tickets/x/y.png`;
    expect((await attachments(bob).upload(foreign, new Blob(['b']))).error).not.toBeNull();
    const path = await attach(ada);
    const id = await ask(ada);
    await ada.client
      .from('tickets')
      .update({ attachments: [path] })
      .eq('id', id)
      .throwOnError();
    expect((await attachments(bob).remove([path])).data).toEqual([]);
    expect(await sees(ada, path)).toBe(true);
    await lead.client.from('tickets').delete().eq('id', id).throwOnError();
    expect([await sees(ada, path), await sees(lead, path)]).toEqual([false, false]);
  });
});

it('the template has a complete specification: content in every chapter, no broken screen, no advice', () =>
  expectSoundSpecification(node, app.ref, {
    machine: 'public.tickets',
    codes: ['HD001', 'HD002', 'HD003', 'HD004', 'HD005'],
  }));
