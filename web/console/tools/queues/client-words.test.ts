import { describe, expect, it } from 'vitest';
import { clientAccess, openToClients } from './client-words.ts';

const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const queue = { row_security: true, policies: ['own'], grants: [{ role: 'authenticated' as const, privileges: all }] };

describe('clientAccess', () => {
  it('names what the roles may do, and the policies that decide about messages', () => {
    expect(clientAccess(queue, true)).toMatchObject({
      state: 'policies',
      sentence: 'authenticated may send, read and delete, as the policy own allows.',
    });
    const two = {
      ...queue,
      policies: ['a', 'b'],
      grants: [...queue.grants, { role: 'anon' as const, privileges: ['INSERT', 'SELECT'] }],
    };
    expect(clientAccess(two, true).sentence).toBe(
      'authenticated may send, read and delete and anon may send, as the policies a and b allow.',
    );
  });

  it('marks a queue as open if row-level security is off, and as closed without a policy, a privilege or the schema', () => {
    expect(clientAccess({ ...queue, row_security: false }, true).state).toBe('open');
    for (const access of [
      clientAccess({ ...queue, policies: [] }, true),
      clientAccess({ ...queue, grants: [] }, true),
      clientAccess({ ...queue, grants: [{ role: 'anon', privileges: ['INSERT'] }] }, true),
      clientAccess({ ...queue, row_security: false }, false),
    ])
      expect(access.state, access.sentence).toBe('closed');
  });
});

describe('openToClients', () => {
  it('quotes the names of the tables where SQL needs it', () => {
    expect(openToClients({ queue: 'q_a"b', archive: 'a_a"b' }, 'anon')).toContain(
      'grant select, insert, update, delete on pgmq."q_a""b" to anon;',
    );
    expect(openToClients({ queue: 'q_mails', archive: 'a_mails' }, 'anon')).toContain('on pgmq.q_mails to anon');
  });
});
