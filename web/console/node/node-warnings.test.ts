import { describe, expect, it } from 'vitest';
import type { NodeFigures } from '../../../contract/node.ts';
import { nodeWarnings } from './node-warnings.ts';

const GB = 1024 ** 3;
const minute = (at: string, disk: number) => ({
  ...{ at, calls_per_second: 1, processor: 0.1, memory_bytes: GB, disk_bytes: disk },
});

const figures: NodeFigures = {
  at: '2026-03-01T12:00:00.000Z',
  started_at: '2026-03-01T00:00:00.000Z',
  workers: 2,
  postgres: {
    ...{ up: true, version: '18.4', embedded: true, connections: 10, max_connections: 100 },
    ...{ oldest_transaction_seconds: 0, frozen_xid_age: 1000 },
  },
  disk: { used_bytes: 50 * GB, size_bytes: 100 * GB },
  memory: { used_bytes: GB, size_bytes: 2 * GB },
  cores: 2,
  history: [],
  apps: [],
  app_count: 1,
  database_bytes: GB,
  jobs: { running: 0, succeeded: 0, failed: 0 },
  mails: [],
  calls_in_flight: 0,
  calls_waiting_for_connection: 0,
  lost_log_lines: 0,
  backup: null,
};

const titles = (changes: Partial<NodeFigures>): string[] =>
  nodeWarnings({ ...figures, ...changes }).map(({ title }) => title);

describe('nodeWarnings', () => {
  it('returns nothing for a healthy node', () => {
    expect(titles({})).toEqual([]);
    expect(titles({ mails: null, disk: null })).toEqual([]);
  });

  it('predicts when the disk is full if its growth is known', () => {
    const disk = { used_bytes: 90 * GB, size_bytes: 100 * GB };
    expect(titles({ disk })).toEqual(['The disk is 90% full.']);
    const history = [minute('2026-03-01T00:00:00Z', 85 * GB), minute('2026-03-01T12:00:00Z', 90 * GB)];
    expect(titles({ disk, history })).toEqual(['The disk is full in 1 day, at the growth of the last hours.']);
  });

  it('lists errors before warnings, with the page that helps', () => {
    const warnings = nodeWarnings({
      ...figures,
      lost_log_lines: 1,
      apps: [
        {
          ...{ ref: 'desk', calls_per_second: 2, failed: 0.1, p50_seconds: 0.01, p99_seconds: 0.1 },
          database_bytes: GB,
        },
      ],
      mails: [{ app: 'desk', waiting: 3, since: '2026-03-01T11:20:00.000Z' }],
    });
    expect(warnings.map(({ title, action }) => [title, action?.to])).toEqual([
      ['3 mails of desk wait.', 'mail'],
      ['10% of the calls of desk fail.', 'errors'],
      ['1 line of the log could not be written.', undefined],
    ]);
    expect(warnings[0]?.detail).toBe('The oldest has waited for 40 minutes.');
  });

  it('warns of connections, long transactions, old transaction ids and a server that does not answer', () => {
    const { postgres } = figures;
    expect(titles({ postgres: { ...postgres, connections: 80 } })).toEqual([
      '80% of the connections to PostgreSQL are in use.',
    ]);
    const old = { ...postgres, oldest_transaction_seconds: 7200, frozen_xid_age: 1_500_000_000 };
    expect(titles({ postgres: old })).toEqual([
      'A transaction has been open for 2 hours.',
      'PostgreSQL must freeze old transactions.',
    ]);
    expect(titles({ postgres: { ...postgres, up: false, connections: null } })).toEqual([
      'PostgreSQL does not answer.',
    ]);
  });

  it('warns of an old backup, an old trial of a restore and a backup that is behind', () => {
    const backup = { backup_age_seconds: 200_000, drill_age_seconds: 800_000, loss_window_seconds: 90 };
    expect(titles({ backup })).toEqual([
      'The last backup is 2 days old.',
      'The last restore was tried 9 days ago.',
      'The backup is 1 minute behind.',
    ]);
    expect(titles({ backup: { backup_age_seconds: 60, drill_age_seconds: null, loss_window_seconds: 1 } })).toEqual([]);
  });
});
