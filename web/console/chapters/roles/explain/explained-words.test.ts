import { describe, expect, it } from 'vitest';
import type { AccessExplanation } from '../../../../../contract/access.ts';
import { explanationText, type Names, replyWords, resultWord, shownChecks } from './explained-words.ts';

const explanation: AccessExplanation = {
  as: { role: 'authenticated', user_id: 'tomas' },
  operation: 'update',
  target: { schema: 'public', name: 'tickets', kind: 'table' },
  outcome: 'hidden',
  cause: 'policy_using',
  reason: 'Neither of 2 policies lets it through.',
  grants: [
    {
      privilege: 'UPDATE',
      on: 'table public.tickets',
      needed: 'to change',
      held: false,
      missing_columns: [],
      through: [],
    },
  ],
  row_security: null,
  rows: [
    {
      row: { id: '7', assignee: null },
      result: 'hidden',
      checks: [
        {
          policies_for: 'update',
          of: 'existing',
          because: 'because the call filters',
          passes: false,
          policies: [
            {
              name: 'own',
              permissive: true,
              expression: 'assignee = auth.uid()',
              words: 'own row (by assignee)',
              filled: "NULL = 'tomas'",
              result: null,
              error: null,
              joined_by: null,
              conditions: [],
            },
          ],
        },
      ],
    },
  ],
  more_rows: false,
  beneath: [],
  embedded: [],
  actual: { status: 200, code: null, message: null, rows: 0 },
  agrees: true,
};

describe('replyWords', () => {
  it.each([
    [{ status: 200, code: null, message: null, rows: 0 }, 'The call answers 200 with no row.'],
    [{ status: 200, code: null, message: null, rows: 2 }, 'The call answers 200 with 2 rows.'],
    [{ status: 403, code: '42501', message: 'no', rows: null }, 'The call answers 403 with the code 42501.'],
    [{ status: 204, code: null, message: null, rows: null }, 'The call answers 204.'],
  ])('describes the response %j', (actual, words) => expect(replyWords({ ...explanation, actual })).toBe(words));
});

const names: Names = {
  caller: 'Tomás Silva',
  valueOf: (field, value) => (field === 'customer' && value === 'u1' ? 'Maren Holt' : undefined),
  rowOf: () => 'Printer is on fire',
};

it('shownChecks names the command, the row and the reason of a check', () => {
  expect(shownChecks(explanation.rows[0]?.checks ?? [], names)[0]?.title).toBe(
    'Policies for update, of the row as it is, because the call filters',
  );
});

it('shownChecks prints each condition once, as a sentence with the names of people', () => {
  const condition = {
    expression: '(customer = ( SELECT auth.uid() AS uid))',
    words: 'own row (by customer)',
    filled: '',
    values: { customer: 'u1', '( SELECT auth.uid() AS uid)': 'u2', "ninefold.has_role('agent'::text)": 'false' },
    result: false,
    error: null,
  };
  const policy = { ...condition, name: 'own', permissive: true, joined_by: null, conditions: [condition] };
  const check = { policies_for: 'select', of: 'existing', because: null, passes: false, policies: [policy] } as const;
  const shown = shownChecks(
    [
      { ...check, policies: [policy] },
      { ...check, policies_for: 'update', policies: [policy] },
    ],
    names,
  );
  expect(shown.map(({ policies }) => policies[0]?.conditions)).toEqual([
    [
      {
        words: 'customer is the caller',
        values: 'customer: Maren Holt; the caller: Tomás Silva',
        result: 'no',
        holds: false,
      },
    ],
    [],
  ]);
});

it('resultWord distinguishes unknown from no, and an error from a result', () => {
  expect(resultWord({ result: null, error: null })).toBe('unknown');
  expect(resultWord({ result: false, error: null })).toBe('no');
  expect(resultWord({ result: null, error: { code: '22P02', message: '' } })).toBe('fails');
});

it('explanationText writes the explanation as text', () => {
  const text = explanationText(explanation, names);
  expect(text).toContain('update on public.tickets as Tomás Silva');
  expect(text).toContain('Hidden. Neither of 2 policies lets it through. The call answers 200 with no row.');
  expect(text).toContain('Missing: UPDATE on table public.tickets');
  expect(text).toContain('Printer is on fire');
  expect(text).toContain('unknown: assignee is the caller');
});
