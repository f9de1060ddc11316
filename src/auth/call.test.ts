import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { optional, required } from '../calls/words.ts';
import { flag, text } from './body.ts';
import { authCall } from './call.ts';

const words = { errors: [], summary: 'Does it.', returns: '{}' } as const;
const handle = () => ({ status: 200, headers: {}, body: null });

describe('authCall', () => {
  it('derives the parameters from the route, the fields with words and the query', () => {
    const call = authCall({
      ...words,
      id: 'auth.test',
      route: 'POST /test?kind=one',
      caller: 'anyone',
      body: z.object({
        name: text(9).meta(required('The name.')),
        isNew: flag.meta(optional('Whether it is new.')),
        other: text(9),
      }),
      query: { page: optional('Which page.', 'integer') },
      handle,
    });
    expect(call.facts.parameters).toEqual([
      { name: 'kind', in: 'query', type: 'text', required: true, meaning: 'one' },
      { name: 'name', in: 'body', type: 'text', required: true, meaning: 'The name.' },
      { name: 'isNew', in: 'body', type: 'boolean', required: false, meaning: 'Whether it is new.' },
      { name: 'page', in: 'query', type: 'integer', required: false, meaning: 'Which page.' },
    ]);
  });

  it('adds the errors of every call, of the caller, of its settings and of hooks to its own', () => {
    const call = { ...words, id: 'auth.test', route: 'GET /test', handle } as const;
    const open = authCall({ ...call, caller: 'anyone', errors: ['conflict'] }).facts.errors;
    expect(open).toEqual(expect.arrayContaining(['validation_failed', 'conflict']));
    expect(open).not.toContain('no_authorization');
    const needs = { passkey_enabled: true };
    const ofMember = authCall({ ...call, caller: 'member', needs, runsHooks: true }).facts.errors;
    expect(ofMember).toEqual(expect.arrayContaining(['no_authorization', 'passkey_disabled', 'hook_timeout']));
    expect(authCall({ ...call, caller: 'secret-key' }).facts.errors).toContain('not_admin');
  });
});
