import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AccessExplanation } from '../../contract/access.ts';
import { type Call, type ExplainedApp, makeExplainedApp, request, who } from '../support/explained-app.ts';

const node = inject('node');

let explained: ExplainedApp;

beforeAll(async () => {
  explained = await makeExplainedApp(node);
});

describe('an explanation', () => {
  it('shows each evaluated policy with the values of the row and of the member', async () => {
    const { rows, as } = await explained.why(explained.ada, {
      method: 'PATCH',
      path: '/notes?id=eq.3',
      body: { title: 'x' },
    });
    expect(as).toEqual({ role: 'authenticated', user_id: explained.ada.user.id });
    expect(rows).toHaveLength(1);
    const asked = rows[0]?.checks.map(({ policies_for, of, passes }) => [policies_for, of, passes]);
    expect(asked).toEqual([
      ['update', 'existing', false],
      ['select', 'existing', true],
      ['update', 'new', false],
      ['select', 'new', true],
    ]);
    const [own, locked] = rows[0]?.checks[0]?.policies ?? [];
    expect(own).toMatchObject({
      name: 'own notes',
      permissive: true,
      result: true,
      filled: `('${explained.ada.user.id}' = '${explained.ada.user.id}')`,
    });
    expect(locked).toMatchObject({ name: 'locked stay', permissive: false, result: false, filled: '(NOT true)' });
  });

  it('evaluates the parts of an expression one by one and names those that failed', async () => {
    const body = { id: 30, title: 'forbidden' };
    const { rows } = await explained.why(explained.ada, { method: 'POST', path: '/notes', body });
    const policy = rows[0]?.checks[0]?.policies[0];
    expect(policy).toMatchObject({
      joined_by: 'and',
      result: false,
      conditions: [
        {
          expression: '(owner = auth.uid())',
          words: 'own row (by owner)',
          result: true,
          values: { owner: explained.ada.user.id, 'auth.uid()': explained.ada.user.id },
        },
        { expression: "(title <> 'forbidden'::text)", filled: "('forbidden' <> 'forbidden'::text)", result: false },
      ],
    });
  });

  it('names the grants that give a privilege', async () => {
    const { grants } = await explained.why(explained.ada, { path: '/cards?select=id' });
    expect(grants).toEqual([
      expect.objectContaining({ privilege: 'USAGE', on: 'schema public', held: true }),
      {
        privilege: 'SELECT',
        on: 'table public.cards',
        needed: 'to read',
        held: true,
        missing_columns: [],
        through: ['authenticated'],
      },
    ]);
  });

  it('changes no data', async () => {
    const all = async () =>
      (
        await request(`${explained.app.url}/rest/v1`, { path: '/notes?order=id' }, { apikey: explained.app.secret_key })
      ).json();
    const before = await all();
    await explained.why(explained.ada, { method: 'POST', path: '/notes', body: { id: 40 } });
    await explained.why(explained.ada, { method: 'PATCH', path: '/notes?id=eq.1', body: { title: 'changed' } });
    await explained.why(explained.ada, { method: 'DELETE', path: '/notes' });
    await explained.why('service', { method: 'DELETE', path: '/notes' });
    expect(await all()).toEqual(before);
  });

  it('is available to builders, too', async () => {
    const proxy = `${node.url}/admin/v1/apps/${explained.app.ref}/rest/v1`;
    const asked = async (as: Record<string, string>) => {
      const headers = { authorization: `Bearer ${node.operatorToken}`, prefer: 'explain=access', ...as };
      const answer = await request(proxy, { path: '/notes?id=eq.2' }, headers);
      const { as: whom, outcome, agrees } = (await answer.json()) as AccessExplanation;
      return [answer.status, whom.role, outcome, agrees];
    };
    expect(await asked({ 'x-ninefold-as': explained.ada.user.id })).toEqual([200, 'authenticated', 'hidden', true]);
    expect(await asked({ 'x-ninefold-as': explained.bob.user.id })).toEqual([200, 'authenticated', 'allowed', true]);
    expect(await asked({ 'x-ninefold-as': 'anon' })).toEqual([200, 'anon', 'hidden', true]);
    expect(await asked({})).toEqual([200, 'service_role', 'allowed', true]);
  });

  it('refuses a header that names no member', async () => {
    const headers = { apikey: explained.app.secret_key, prefer: 'explain=access', 'x-ninefold-as': 'service_role' };
    const answer = await request(`${explained.app.url}/rest/v1`, { path: '/notes' }, headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'validation_invalid']);
  });

  it('is refused with PGRST127 for a call without a table', async () => {
    const headers = { apikey: explained.app.secret_key, prefer: 'explain=access' };
    const answer = await request(`${explained.app.url}/rest/v1`, { path: '/' }, headers);
    expect(((await answer.json()) as { code: string }).code).toBe('PGRST127');
  });
});

describe('a caller without the right to an explanation', () => {
  const answerTo = async (call: Call, more: Record<string, string>) => {
    const answer = await request(`${explained.app.url}/rest/v1`, call, more);
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: await answer.text() };
  };
  const calls: Call[] = [
    { path: '/notes?id=eq.2' },
    { path: '/ledger' },
    { path: '/cards' },
    { path: '/rpc/hush' },
    { method: 'POST', path: '/notes', body: { id: 50, owner: '00000000-0000-0000-0000-000000000001' } },
    { method: 'PATCH', path: '/notes?id=eq.2', body: { title: 'x' } },
  ];

  it('gets the same response as without the preference, byte for byte', async () => {
    for (const headers of [who(explained, null), who(explained, explained.ada)]) {
      for (const call of calls) {
        const plain = await answerTo(call, headers);
        const asking = { ...headers, prefer: 'explain=access', 'x-ninefold-as': explained.bob.user.id };
        expect(await answerTo(call, asking)).toEqual(plain);
      }
    }
  });

  it('gets the error for an unknown preference with handling=strict', async () => {
    const strict = (prefer: string) =>
      answerTo({ path: '/notes' }, { ...who(explained, explained.ada), prefer: `handling=strict, ${prefer}` });
    const [asked, unknown] = [await strict('explain=access'), await strict('explain=unknown')];
    expect(asked.status).toBe(400);
    expect(asked.body).toBe(unknown.body.replace('explain=unknown', 'explain=access'));
  });
});
