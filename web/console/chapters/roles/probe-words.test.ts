import { describe, expect, it } from 'vitest';
import type { ProbeAttempt, ProbedCell } from '../../../../contract/probe.ts';
import { disagreement, probedCells, progress } from './probe-words.ts';

const attempt = (claimed: ProbeAttempt['expected'], met: ProbeAttempt['result'], agrees: boolean): ProbeAttempt => ({
  as: 'as a member',
  row: 'own row',
  result: met,
  expected: claimed,
  agrees,
});
const cell = (tries: ProbeAttempt[]): ProbedCell => ({
  role: 'agent',
  entity: 'public.a',
  operation: 'insert',
  verdict: 'always',
  outcome: 'disagrees',
  note: null,
  attempts: tries,
});

describe('disagreement', () => {
  it.each([
    ['probe refused', [attempt('allowed', 'allowed', true), attempt('allowed', 'refused', false)]],
    ['probe allowed', [attempt('not allowed', 'allowed', false)]],
  ])('describes a disagreement as %s', (words, tries) => expect(disagreement(cell(tries))).toBe(words));
});

it('probedCells finds a probed cell by its address', () => {
  const report = { cells: [cell([])] } as unknown as Parameters<typeof probedCells>[0];
  expect(probedCells(report).get('public.a insert agent')).toBeDefined();
  expect(probedCells(null).size).toBe(0);
});

it('progress describes the progress of a run', () => {
  expect(progress(null)).toBeNull();
  expect(progress({ started_at: '', done: 0, total: 0 })).toBe('Probing');
  expect(progress({ started_at: '', done: 12, total: 40 })).toBe('Probing 12 of 40');
});
