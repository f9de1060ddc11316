import { describe, expect, it } from 'vitest';
import type { BackupPage, BackupState, DrillResult } from '../../../contract/backup.ts';
import { backupWarnings } from '../../../contract/backup-warnings.ts';

const at = '2026-03-10T12:00:00.000Z';
const drill: DrillResult = {
  ...{ startedAt: '2026-03-09T12:00:00Z', finishedAt: '2026-03-09T12:01:00Z', restoredTo: '2026-03-09T11:00:00Z' },
  ...{ backup: 'b', ninefold: '1', isPassed: true, checks: [] },
};
const state: BackupState = {
  ...{ target: '/mnt/other', writtenAt: Date.parse(at) - 1000, isStreaming: true, completeAt: at, failure: null },
  ...{ running: null, restorableFrom: '2026-02-01T00:00:00Z', hasPhrase: true, drill, appRestores: [] },
  backups: [
    {
      ...{ id: 'b', startedAt: '2026-03-10T01:00:00Z', finishedAt: '2026-03-10T01:01:00Z' },
      ...{ bytes: 2, storedBytes: 1, isProven: true },
    },
  ],
};

const words = {
  duration: (milliseconds: number) =>
    milliseconds < 86_400_000 ? `${milliseconds / 60_000} minutes` : `${Math.floor(milliseconds / 86_400_000)} days`,
  dateTime: (iso: string) => iso,
};
const titles = (changes: Partial<BackupState>, page: Partial<BackupPage> = {}): string[] =>
  backupWarnings({ ...{ at, is_target_in_home: false, state: { ...state, ...changes } }, ...page }, words).map(
    ({ title }) => title,
  );

describe('backupWarnings', () => {
  it('returns nothing for backups that work, and for a node without backups', () => {
    expect(titles({})).toEqual([]);
    expect(titles({}, { state: null })).toEqual([]);
  });

  it('warns of a missing phrase and of backups in the home', () => {
    expect(titles({ hasPhrase: false }, { is_target_in_home: true })).toEqual([
      'The backups cannot be opened on another machine.',
      'The backups are in the home of the node.',
    ]);
  });

  it('reports a process that does not run in place of backups that are behind', () => {
    const completeAt = '2026-03-10T11:58:00Z';
    expect(titles({ completeAt })).toEqual(['The backup is 2 minutes behind.']);
    expect(titles({ completeAt, writtenAt: Date.parse(completeAt) })).toEqual(['The backup process does not run.']);
  });

  it('lists failures before old backups and a missing drill', () => {
    const [backup] = state.backups;
    const backups = backup ? [{ ...backup, finishedAt: '2026-03-08T12:00:00Z' }] : [];
    const failure = { at, message: 'No space left.' };
    expect(titles({ backups, failure, drill: null })).toEqual([
      'Backups fail.',
      'The last base backup is 2 days old.',
      'No restore was tried yet.',
    ]);
    expect(titles({ drill: null, restorableFrom: '2026-03-09T00:00:00Z' })).toEqual([]);
  });

  it('warns of an old drill and reports a failed one with its first reason', () => {
    expect(titles({ drill: { ...drill, finishedAt: '2026-03-01T00:00:00Z' } })).toEqual([
      'The last restore was tried 9 days ago.',
    ]);
    const checks = [{ app: 'desk', check: 'rows', isPassed: false, detail: 'tickets has 1 in place of 2.' }] as const;
    const failed = { ...state, drill: { ...drill, isPassed: false, checks } };
    expect(backupWarnings({ at, is_target_in_home: false, state: failed }, words)[0]).toEqual({
      ...{ id: 'drill', isError: true, title: 'The last drill failed in 1 check.' },
      ...{ detail: 'tickets has 1 in place of 2.', action: 'drill' },
    });
  });
});
