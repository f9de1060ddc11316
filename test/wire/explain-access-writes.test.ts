import { beforeAll, describe, inject, it } from 'vitest';
import { type ExplainedApp, makeExplainedApp, type Situation, wantsRows } from '../support/explained-app.ts';

const node = inject('node');

let explained: ExplainedApp;

beforeAll(async () => {
  explained = await makeExplainedApp(node);
});

const situations: Situation[] = [
  {
    what: 'an insert of a row that belongs to another member',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 10, owner: '00000000-0000-0000-0000-000000000001' },
    outcome: 'refused',
    cause: 'policy_check',
    names: '"own notes"',
  },
  {
    what: 'an insert with a title that WITH CHECK refuses',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 11, title: 'forbidden' },
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'an insert without an owner, which gets the default',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 12 },
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an insert of several rows, one of them refused',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: [
      { id: 13, title: 'a' },
      { id: 14, title: 'forbidden' },
    ],
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'an insert with a key that exists already',
    as: 'ada',
    method: 'POST',
    path: '/notes',
    body: { id: 1 },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an insert of a row that the member may not read, with the row requested',
    as: 'ada',
    method: 'POST',
    path: '/inbox',
    body: { id: 20, recipient: 'bob' },
    headers: wantsRows,
    outcome: 'refused',
    cause: 'select_policy_on_write',
    names: '"recipients read"',
  },
  {
    what: 'an insert of a row that the member may not read, without the row requested',
    as: 'ada',
    method: 'POST',
    path: '/inbox',
    body: { id: 21, recipient: 'bob' },
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'a policy that compares a claim of the member’s token',
    as: 'ada',
    path: '/inbox',
    outcome: 'partly',
    cause: 'policy_using',
    names: '"recipients read"',
  },
  {
    what: 'an update of the member’s own row',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.1',
    body: { title: 'Seed' },
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
  {
    what: 'an update of a row of another member',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.2',
    body: { title: 'Mine' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'policy_using',
  },
  {
    what: 'an update of a row that a restrictive policy hides',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.3',
    body: { title: 'x' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'policy_using',
    names: '"locked stay"',
  },
  {
    what: 'an update that changes the owner',
    as: 'ada',
    method: 'PATCH',
    path: '/notes?id=eq.1',
    body: { owner: '00000000-0000-0000-0000-000000000001' },
    outcome: 'refused',
    cause: 'policy_check',
  },
  {
    what: 'an update with a filter on a table without a policy for SELECT',
    as: 'ada',
    method: 'PATCH',
    path: '/tickets?id=eq.1',
    body: { state: 'x' },
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'no_policy',
    names: 'for select',
  },
  {
    what: 'a deletion with a filter on a table without a policy for SELECT',
    as: 'ada',
    method: 'DELETE',
    path: '/tickets?id=eq.1',
    headers: wantsRows,
    outcome: 'hidden',
    cause: 'no_policy',
  },
  {
    what: 'a deletion of the member’s own row',
    as: 'ada',
    method: 'DELETE',
    path: '/notes?id=eq.4',
    headers: wantsRows,
    outcome: 'allowed',
    cause: null,
  },
];

describe('the explanation of an access that writes', () => {
  it.each(situations)('agrees with the result of the call: $what', (situation) => explained.expectAgrees(situation));
});
