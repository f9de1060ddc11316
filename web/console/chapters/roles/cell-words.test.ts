import { describe, expect, it } from 'vitest';
import { shortCell } from '../../../../contract/cell-words.ts';
import { cellSentence, filesOf } from './role-text.ts';

const roles = ['agent', 'lead', 'own'];
const ownTicket = 'ticket is the id of a row that the member may read in tickets whose customer is the member';
const unless = 'unless the trigger sign raises “It is closed.” (HD002)';

describe('shortCell', () => {
  it.each([
    ['own row (by customer)', 'own'],
    ['own row (by member or owner)', 'own'],
    ['own row (by id) or the member has role agent or lead, 4 of 12 fields', 'own, or by role, 4 of 12 fields'],
    ['the member has role lead', 'role lead'],
    ['the member has role agent or lead', 'role agent or lead'],
    ['the member has role lead or own row (by id)', 'own, or by role'],
    ['the member has role lead and id is not the member, 2 of 4 fields', 'role lead, not own, 2 of 4 fields'],
    ['7 of 12 fields', '7 of 12 fields'],
    [ownTicket, 'own ticket'],
    [`the member has role agent or lead or (not internal and ${ownTicket})`, 'own ticket, not internal, or by role'],
    [
      `own row (by author) and (the member has role agent or lead or (not internal and ${ownTicket})), 4 of 8 fields, ${unless}`,
      'own, by condition, 4 of 8 fields',
    ],
    ["status is 'open' and is_public", 'status open, is public'],
    ['own row (by a); new row: is_draft', 'own, is draft'],
    ['signed in', 'signed in'],
    ['as far as rows of bookings can be seen', 'as its tables allow'],
    ['as a call, not as field total of public.a', 'as a call'],
    ['the first folder of name is the member’s id', 'own folder'],
    ['lower(name) = (own row)', 'by condition'],
    ['a > 1 and b > 2 or own row (by c)', 'by 3 conditions'],
    [`${unless}, unless the trigger check raises “No.” (HD004)`, 'unless HD002 or HD004'],
    ['', 'by its code'],
  ])('shortens “%s” to “%s”', (words, short) => expect(shortCell({ verdict: 'when', words }, roles)).toBe(short));

  it('has no words for a cell that no call can use, and names another error', () => {
    expect(shortCell({ verdict: 'always', words: '' })).toBe('all');
    expect(shortCell({ verdict: 'always', words: '', operation: 'execute' })).toBe('yes');
    expect(shortCell({ verdict: 'never', words: '', code: '42501' })).toBe(null);
    expect(shortCell({ verdict: 'never', words: '', code: '55000' })).toBe(null);
    expect(shortCell({ verdict: 'never', words: '', code: '42P10' })).toBe('error 42P10');
  });

  it('needs no more than 60 characters for any condition', () => {
    const long = Array.from({ length: 9 }, (_, place) => `field_${place} is 'value'`).join(' and ');
    expect(shortCell({ verdict: 'when', words: `${long}, 3 of 9 fields` })).toBe('by 9 conditions, 3 of 9 fields');
  });
});

describe('cellSentence', () => {
  const roleOf = (name: string, member_role: string | null = null) => ({
    ...{ name, member_role, bypasses_row_level_security: name === 'service_role' },
  });
  const cell = { entity: 'public.tickets', operation: 'select', verdict: 'when', words: '', reason: '' } as const;
  it.each([
    [
      { words: 'own row (by customer) or the member has role agent or lead' },
      roleOf('authenticated'),
      'A signed-in member may read a row of tickets if customer is that member or that member has the role agent or lead.',
    ],
    [
      { operation: 'insert', words: `own row (by customer), 2 of 5 fields, ${unless}`, columns: ['topic', 'subject'] },
      roleOf('agent', 'agent'),
      'A member with the role agent may add a row of tickets and set the fields topic and subject in it if customer is that member, unless the trigger sign raises “It is closed.” (HD002).',
    ],
    [
      { words: `own row (by author) and (the member has role agent or lead or (not internal and ${ownTicket}))` },
      roleOf('authenticated'),
      'A signed-in member may read a row of tickets if author is that member and either that member has the role agent or lead, or internal is false and ticket is the id of a row that this member may read in tickets whose customer is that member.',
    ],
    [
      { operation: 'update', words: '1 of 5 fields', columns: ['topic'] },
      roleOf('lead', 'lead'),
      'A member with the role lead may change the field topic of every row of tickets.',
    ],
    [
      { words: 'as far as rows of a can be seen' },
      roleOf('authenticated'),
      'A signed-in member may read a row of tickets, but only as far as rows of a can be seen.',
    ],
    [
      { operation: 'delete', verdict: 'always' },
      roleOf('service_role'),
      'A program with the secret key may delete every row of tickets.',
    ],
    [
      { verdict: 'never', reason: 'no SELECT privilege' },
      roleOf('anon'),
      'A visitor without a session may not read rows of tickets: no SELECT privilege.',
    ],
    [
      { entity: 'public.close(uuid)', operation: 'execute', words: 'unless its code raises “No.” (HD003)' },
      roleOf('reporter'),
      'A caller with the database role reporter may call close(uuid), unless its code raises “No.” (HD003).',
    ],
    [
      { words: '', reason: '2 of 5 fields' },
      roleOf('anon'),
      'A visitor without a session may read every row of tickets, with this limit: 2 of 5 fields.',
    ],
  ] as const)('describes %j', (changed, role, sentence) =>
    expect(cellSentence({ ...cell, ...changed } as Parameters<typeof cellSentence>[0], role)).toBe(sentence),
  );

  it('describes a right on the files of a bucket', () =>
    expect(
      cellSentence({ ...cell, operation: 'insert', words: 'own row (by owner_id)' }, roleOf('anon'), filesOf('photos')),
    ).toBe('A visitor without a session may upload a file of the bucket photos if owner_id is that member.'));
});
