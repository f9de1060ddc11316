import { beforeAll, describe, inject, it } from 'vitest';
import { type ExplainedApp, makeExplainedApp, type Situation } from '../support/explained-app.ts';

const node = inject('node');

let explained: ExplainedApp;

beforeAll(async () => {
  explained = await makeExplainedApp(node);
});

const situations: Situation[] = [
  { what: 'rows of the member’s own', as: 'ada', path: '/notes?id=eq.1', outcome: 'allowed', cause: null },
  {
    what: 'another member’s row',
    as: 'ada',
    path: '/notes?id=eq.2',
    outcome: 'hidden',
    cause: 'policy_using',
    names: '"own notes"',
  },
  {
    what: 'own rows and rows of another member',
    as: 'ada',
    path: '/notes?id=lte.3',
    outcome: 'partly',
    cause: 'policy_using',
  },
  { what: 'a row that does not exist', as: 'ada', path: '/notes?id=eq.99', outcome: 'absent', cause: null },
  {
    what: 'policies for another role only',
    as: 'anon',
    path: '/notes?id=eq.1',
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'anon',
  },
  {
    what: 'a table without a policy',
    as: 'ada',
    path: '/vault',
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'public.vault',
  },
  {
    what: 'an insert into a table without a policy',
    as: 'ada',
    method: 'POST',
    path: '/vault',
    body: { id: 2 },
    outcome: 'refused',
    cause: 'no_policy',
  },
  { what: 'a table without row-level security', as: 'anon', path: '/letters', outcome: 'allowed', cause: null },
  {
    what: 'a table without a grant',
    as: 'ada',
    path: '/ledger',
    outcome: 'refused',
    cause: 'grant',
    names: 'no SELECT on table public.ledger',
  },
  {
    what: 'a table without a grant, for a caller without a session',
    as: 'anon',
    path: '/ledger',
    outcome: 'refused',
    cause: 'grant',
  },
  { what: 'columns with a grant', as: 'ada', path: '/cards?select=id,holder', outcome: 'allowed', cause: null },
  {
    what: 'all columns of a table with a grant on two',
    as: 'ada',
    path: '/cards',
    outcome: 'refused',
    cause: 'grant',
    names: 'the column pin',
  },
  {
    what: 'a filter on a column without a grant',
    as: 'ada',
    path: '/cards?select=id&pin=eq.0000',
    outcome: 'refused',
    cause: 'grant',
    names: 'pin',
  },
  {
    what: 'an update of a column without a grant',
    as: 'ada',
    method: 'PATCH',
    path: '/cards?id=eq.1',
    body: { pin: '1' },
    outcome: 'refused',
    cause: 'grant',
    names: 'no UPDATE on the column pin',
  },
  {
    what: 'a schema without USAGE',
    as: 'ada',
    path: '/plans',
    headers: { 'accept-profile': 'private' },
    outcome: 'refused',
    cause: 'schema_usage',
    names: 'schema private',
  },
];

describe('the explanation of an access to rows and columns', () => {
  it.each(situations)('agrees with the result of the call: $what', (situation) => explained.expectAgrees(situation));
});
