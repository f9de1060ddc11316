import { describe, expect, it } from 'vitest';
import type { CallDetail } from '../../../../contract/call-detail.ts';
import type { CallEntry, CallParameter } from '../../../../contract/specification-calls.ts';
import { attemptOf, draftOf, schemaOf, whyNot } from './draft.ts';

const call = (part: Partial<CallEntry>): CallEntry => ({
  id: 'rest.public.tickets.update',
  area: 'rest',
  method: 'PATCH',
  path: '/rest/v1/tickets',
  summary: '',
  entity: 'public.tickets',
  setting: null,
  roles: ['authenticated'],
  parameters: null,
  returns: null,
  ...part,
});
const detail = (example: CallDetail['example']): CallDetail => ({
  snippets: { supabase_js: '', curl: '', fetch: '' },
  example,
  errors: { own: [], common: [] },
});
const parameter = (name: string, where: CallParameter['in'] = 'query'): CallParameter => ({
  name,
  in: where,
  type: 'text',
  required: false,
  meaning: '',
});
const json = (text: string) => ({ content_type: 'application/json', text });

describe('draftOf and attemptOf', () => {
  it('start with the example of the call, send it unchanged, and roll a write back by default', () => {
    const update = call({});
    const draft = draftOf(
      update,
      [parameter('<field>'), parameter('title', 'body')],
      detail({ query: '%22a%5C%22b%22=eq.1', headers: {}, body: json('{"title":"x"}') }),
    );
    expect(draft).toMatchObject({ filters: [{ field: 'a"b', operator: 'eq', value: '1' }], undo: true });
    expect(attemptOf(update, draft, 'shop')).toEqual({
      method: 'PATCH',
      address: '/rest/v1/tickets?%22a%5C%22b%22=eq.1',
      headers: {
        accept: 'application/json',
        'content-profile': 'shop',
        'content-type': 'application/json',
        prefer: 'return=representation, tx=rollback',
      },
      body: '{\n  "title": "x"\n}',
    });
    expect(attemptOf(update, { ...draft, undo: false }, 'shop').headers.prefer).toBe('return=representation');
  });

  it('upsert if the reader chooses it', () => {
    const insert = call({ method: 'POST' });
    const draft = draftOf(
      insert,
      [parameter('on_conflict')],
      detail({ query: '', headers: {}, body: json('{"id":1}') }),
    );
    expect(attemptOf(insert, draft, null).headers.prefer).toBe('return=representation, tx=rollback');
    const upsert = { ...draft, upsert: true, query: { on_conflict: 'id' } };
    expect(attemptOf(insert, upsert, null)).toMatchObject({
      address: '/rest/v1/tickets?on_conflict=id',
      headers: { prefer: 'return=representation, resolution=merge-duplicates, tx=rollback' },
    });
  });

  it('omit empty parameters, and put the values of an "in" filter in brackets', () => {
    const read = call({ method: 'GET' });
    const draft = draftOf(
      read,
      [parameter('select'), parameter('<field>'), parameter('limit')],
      detail({ query: 'select=*&limit=25', headers: {}, body: null }),
    );
    expect(draft).toMatchObject({ query: { select: '*', limit: '25' }, filters: [], undo: false, body: null });
    const changed = {
      ...draft,
      query: { select: '', limit: '5' },
      filters: [{ field: 'id', operator: 'in', value: '1,2' }],
    };
    expect(attemptOf(read, changed, null).address).toBe('/rest/v1/tickets?limit=5&%22id%22=in.(1%2C2)');
  });

  it('keep the query in the path of a sign-in call, report missing parts of a path, and never roll back', () => {
    const token = call({
      id: 'auth.token',
      area: 'auth',
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      entity: null,
    });
    const draft = draftOf(token, [parameter('grant_type')], detail({ query: '', headers: {}, body: json('{}') }));
    expect(draft.undo).toBe(false);
    expect(attemptOf(token, draft, null)).toMatchObject({ address: '/auth/v1/token?grant_type=password' });
    const one = call({ area: 'auth', method: 'GET', path: '/auth/v1/admin/users/{user_id}', entity: null });
    const asked = draftOf(one, [], detail({ query: '', headers: {}, body: null }));
    expect(whyNot(asked)).toBe('user_id is missing.');
    expect(attemptOf(one, { ...asked, path: { user_id: 'a/b' } }, null).address).toBe('/auth/v1/admin/users/a%2Fb');
  });

  it('refuse a body that is not JSON', () => {
    const draft = draftOf(call({}), [], detail({ query: '', headers: {}, body: json('{}') }));
    expect(whyNot({ ...draft, body: '{' })).toBe('The body is not valid JSON.');
    expect(whyNot({ ...draft, body: '{', contentType: 'text/plain' })).toBeNull();
  });

  it('find the schema of a function in its id', () =>
    expect(schemaOf(call({ area: 'rpc', entity: '"My shop".close(integer)' }), undefined)).toBe('My shop'));
});
