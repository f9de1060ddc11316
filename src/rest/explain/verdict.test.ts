import { describe, expect, it } from 'vitest';
import type { ActualResponse, ExplainedPolicy, ExplainedRow } from '../../../contract/access.ts';
import { checkRow } from './check-row.ts';
import type { Evaluated } from './evaluate.ts';
import { nothingInspected } from './inspect-rows.ts';
import { type Asked, policiesAsked } from './needs.ts';
import { agrees, verdictOf } from './verdict.ts';

const policy = (name: string, more: Partial<ExplainedPolicy> = {}): ExplainedPolicy => ({
  name,
  permissive: true,
  command: 'all',
  roles: ['PUBLIC'],
  applies: true,
  using: name,
  check: null,
  ...more,
});

const of = { relation: 't', columns: new Set<string>() };
const yes: Evaluated = { type: 'boolean', text: 'true' };
const no: Evaluated = { type: 'boolean', text: 'false' };
const unknown: Evaluated = { type: 'boolean', text: null };
const broken: Evaluated = { error: { code: '22012', message: 'division by zero' } };

/** Returns a row with the given result for each policy's expression. The expression of a policy is its name here. */
function row(policies: ExplainedPolicy[], asked: Asked[], outcomes: Record<string, Evaluated>): ExplainedRow {
  const values = {
    place: 0,
    evaluations: new Map(Object.entries(outcomes).map(([name, outcome]) => [name, [outcome]])),
    columns: new Map(),
  };
  const has = (side: Asked['of']) => (asked.some((each) => each.of === side) ? values : null);
  return { row: {}, ...checkRow(policies, asked, of, { existing: has('existing'), new: has('new') }, (sql) => sql) };
}

const reads = 'because the call gives rows back';
const toSelect = policiesAsked({ operation: 'select', privileges: [], reads: null });
const toUpdate = policiesAsked({ operation: 'update', privileges: [], reads });
const toInsert = policiesAsked({ operation: 'insert', privileges: [], reads: null });
const toInsertAndRead = policiesAsked({ operation: 'insert', privileges: [], reads });

describe('checkRow', () => {
  const restrictive = policy('r', { permissive: false });
  it.each([
    ['one permissive policy holds', [policy('a'), policy('b')], { a: no, b: yes }, 'passes'],
    ['no permissive policy holds', [policy('a'), policy('b')], { a: no, b: unknown }, 'hidden'],
    ['a restrictive policy does not hold', [policy('a'), restrictive], { a: yes, r: no }, 'hidden'],
    ['only a restrictive policy is there', [restrictive], { r: yes }, 'hidden'],
    ['no policy is there', [], {}, 'hidden'],
    ['the policy is for another role', [policy('a', { applies: false })], { a: yes }, 'hidden'],
    ['the policy is for another command', [policy('a', { command: 'delete' })], { a: yes }, 'hidden'],
    ['the policy fails', [policy('a')], { a: broken }, 'undecided'],
  ])('returns for %s the result %s', (_what, policies, outcomes, result) => {
    expect(row(policies, toSelect, outcomes).result).toBe(result);
  });

  it('evaluates WITH CHECK on the new row, and USING if there is none', () => {
    const own = policy('using', { check: 'check' });
    expect(row([own], toInsert, { using: no, check: yes }).result).toBe('passes');
    expect(row([policy('using')], toInsert, { using: no }).result).toBe('refused');
    // A policy for SELECT has only USING, so this expression also applies to the new row.
    expect(row([own], toInsertAndRead, { using: no, check: yes }).result).toBe('refused');
  });

  it('returns hidden for a hidden row, even if its new values would be refused', () => {
    const own = policy('using', { check: 'check' });
    expect(row([own], toUpdate, { using: no, check: no }).result).toBe('hidden');
    expect(row([own], toUpdate, { using: yes, check: no }).result).toBe('refused');
  });
});

describe('verdictOf', () => {
  const done: ActualResponse = { status: 200, code: null, message: null, rows: 1 };
  const base = {
    role: 'anon',
    target: 'public.t',
    isView: false,
    unwritable: null,
    dependsOnCaller: false,
    inserts: false,
    isIdle: false,
    grants: [],
    beneath: [],
    embedded: [],
  };
  const verdict = (rows: ExplainedRow[], more: object = {}) =>
    verdictOf({ ...base, inspected: { ...nothingInspected, rows, matches: rows.length }, actual: done, ...more });
  const own = policy('own');

  it('reports a refusal by the policies for SELECT as a refusal by these policies', () => {
    const writes = policy('writes', { command: 'insert', using: null, check: 'writes' });
    const owned = policy('own', { command: 'select' });
    const refused = row([writes, owned], toInsertAndRead, { writes: yes, own: no });
    const { cause, reason } = verdict([refused], { inserts: true });
    expect(cause).toBe('select_policy_on_write');
    expect(reason).toContain('"own"');
    expect(reason).toContain(reads);
  });

  it('names only the policies that decided the verdict', () => {
    const late = policy('late', { permissive: false });
    const early = policy('early', { permissive: false });
    const hidden = row([own, late, early], toSelect, { own: yes, late: no, early: yes });
    expect(verdict([hidden]).reason).toMatch(/"late"\.?/);
    expect(verdict([hidden]).reason).not.toMatch(/"own"|"early"/);
  });

  it('returns absent if no row matches, and hidden if the policies hide each matching row', () => {
    const hidden = row([own], toSelect, { own: no });
    const found = row([own], toSelect, { own: yes });
    expect(verdict([]).outcome).toBe('absent');
    expect(verdict([hidden]).outcome).toBe('hidden');
    expect(verdict([hidden, found]).outcome).toBe('partly');
    expect(verdict([found]).outcome).toBe('allowed');
  });

  it('agrees with the response of a request only if the verdict could lead to this response', () => {
    const rows = [row([own], toSelect, { own: yes }), row([own], toSelect, { own: no })];
    const inspected = { ...nothingInspected, rows, matches: 2 };
    const met = (actual: Partial<ActualResponse>, of = verdict(rows)) =>
      agrees({ verdict: of, inspected, actual: { ...done, ...actual }, countable: true });
    expect(met({ rows: 1 })).toBe(true);
    expect(met({ rows: 2 })).toBe(false);
    expect(met({ rows: 0 })).toBe(false);
    expect(met({ rows: null, status: 403, code: '42501' })).toBe(false);
    // Other errors have no relation to permissions, so they agree with every verdict.
    expect(met({ rows: null, status: 409, code: '23505' })).toBe(true);
    expect(met({ rows: 1 }, verdict([]))).toBe(false);
    expect(met({ rows: null, status: 406, code: 'PGRST116' }, verdict([]))).toBe(true);
  });
});
