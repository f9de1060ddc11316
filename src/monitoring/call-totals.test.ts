import { describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { addCall, noCalls, quantileSeconds, sumOf } from './call-counts.ts';
import { CallTotals, OTHER } from './call-totals.ts';

const calls = (count: number, status = 200, seconds = 0.004): Float64Array => {
  const counts = noCalls();
  for (let i = 0; i < count; i++) addCall(counts, 'rest', status, seconds);
  return counts;
};
const totalOf = (totals: CallTotals, app: string) => sumOf(totals.totals.get(app) ?? noCalls()).calls;

describe('CallTotals', () => {
  it('names the busiest apps, and never makes the total of the others smaller', () => {
    const totals = new CallTotals();
    for (let i = 0; i < limits.namedApps.default; i++) totals.add(`app-${i}`, calls(2));
    totals.add('late', calls(100));
    expect(totals.totals.has('late')).toBe(false);
    expect(totalOf(totals, OTHER)).toBe(100);
    totals.endMinute();
    expect(totals.totals.has('late')).toBe(true);
    expect(totals.totals.size).toBe(limits.namedApps.default + 1);
    totals.add('late', calls(3));
    totals.add('app-0', calls(1));
    expect([totalOf(totals, 'late'), totalOf(totals, OTHER)]).toEqual([3, 101]);
  });

  it('does not let two apps of the same load alternate', () => {
    const totals = new CallTotals();
    for (let i = 0; i < limits.namedApps.default; i++) totals.add(`app-${i}`, calls(10));
    totals.add('as-busy', calls(15));
    totals.endMinute();
    expect(totals.totals.has('as-busy')).toBe(false);
  });

  it('keeps requests without an app apart, and removes deleted apps', () => {
    const totals = new CallTotals();
    totals.add('', calls(2));
    totals.add('gone', calls(1));
    totals.keepOnly(new Set(['other-app']));
    expect([...totals.totals.keys()]).toEqual(['']);
    expect(totals.load().apps.has('')).toBe(false);
  });

  it('sums the calls of the last minutes as the load', () => {
    const totals = new CallTotals();
    totals.add('desk', calls(4));
    totals.endMinute();
    totals.add('desk', calls(1, 500, 2));
    const desk = totals.load().apps.get('desk') ?? noCalls();
    expect(sumOf(desk)).toEqual({ calls: 5, failed: 1 });
    expect([quantileSeconds(desk, 0.5), quantileSeconds(desk, 0.99)]).toEqual([0.005, 2.5]);
    for (let i = 0; i < 10; i++) totals.endMinute();
    expect(totals.load().apps.size).toBe(0);
  });
});
