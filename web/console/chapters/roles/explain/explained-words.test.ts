import { describe, expect, it } from 'vitest';
import type { AccessExplanation } from '../../../../../contract/access.ts';
import { checkTitle, explanationText, replyWords, resultWord } from './explained-words.ts';

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

it('checkTitle names the command, the row and the reason of a check', () => {
  const [check] = explanation.rows[0]?.checks ?? [];
  expect(check && checkTitle(check)).toBe('Policies for update, of the row as it is, because the call filters');
});

it('resultWord distinguishes null from false, and an error from a result', () => {
  expect(resultWord({ result: null, error: null })).toBe('null');
  expect(resultWord({ result: null, error: { code: '22P02', message: '' } })).toBe('fails');
});

it('explanationText writes the explanation as text', () => {
  const text = explanationText(explanation);
  expect(text).toContain('update on public.tickets as tomas');
  expect(text).toContain('Hidden. Neither of 2 policies lets it through. The call answers 200 with no row.');
  expect(text).toContain('Missing: UPDATE on table public.tickets');
  expect(text).toContain('id = 7, assignee = null');
  expect(text).toContain("null  assignee = auth.uid()  [NULL = 'tomas']");
});
