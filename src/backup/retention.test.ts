import { expect, it } from 'vitest';
import { isDue, keptBackups, neededFrom } from './retention.ts';

const hour = 60 * 60 * 1000;
const backupsEvery = (hours: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `b${i}`,
    startedAt: new Date(Date.UTC(2026, 9, 1) + i * hours * hour).toISOString(),
  }));

it('keeps the oldest backup of each of the last days and weeks, and the newest of all', () => {
  const kept = keptBackups(backupsEvery(12, 2 * 60), { days: 7, weeks: 4 }, []);
  expect(kept.map(({ startedAt }) => startedAt.slice(0, 13))).toEqual([
    ...['2026-11-02T00', '2026-11-09T00', '2026-11-16T00', '2026-11-23T00'],
    ...['2026-11-24T00', '2026-11-25T00', '2026-11-26T00', '2026-11-27T00', '2026-11-28T00', '2026-11-29T00'],
    '2026-11-29T12',
  ]);
});

it('keeps the last backup that a drill has restored, however old it is', () => {
  const kept = keptBackups(backupsEvery(24, 100), { days: 1, weeks: 0 }, ['b3']);
  expect(kept.map(({ id }) => id)).toEqual(['b3', 'b99']);
});

it('covers at least the last days without a gap after each new backup', () => {
  let kept: { id: string; startedAt: string }[] = [];
  for (const backup of backupsEvery(6, 200)) {
    kept = keptBackups([...kept, backup], { days: 7, weeks: 0 }, []);
    const covered = Date.parse(backup.startedAt) - Date.parse(kept[0]?.startedAt ?? '');
    const all = Date.parse(backup.startedAt) - Date.UTC(2026, 9, 1);
    expect(covered).toBeGreaterThanOrEqual(Math.min(all, 6 * 24 * hour));
    expect(kept.length).toBeLessThanOrEqual(8);
  }
});

it('keeps the WAL of the first backup by position, also when the clock was changed between two', () => {
  const [first, second] = [{ startLsn: '0/9000028' }, { startLsn: '0/10000028' }];
  expect(neededFrom([second, first])).toBe(0x9000028n);
  expect(neededFrom([])).toBeNull();
});

it('does not wait for the time of work that began in the future', () => {
  const now = Date.UTC(2026, 9, 1);
  const at = (hours: number) => new Date(now + hours * hour).toISOString();
  expect(isDue([at(-1)], 24 * hour, now)).toBe(false);
  expect(isDue([at(-25)], 24 * hour, now)).toBe(true);
  expect(isDue([at(9000)], 24 * hour, now)).toBe(true);
  expect(isDue([at(-1), at(9000)], 24 * hour, now)).toBe(false);
});
