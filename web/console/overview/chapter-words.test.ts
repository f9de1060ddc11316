import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../contract/admin.ts';
import type { Chapters, LimitLine, Specification } from '../../../contract/specification.ts';
import { chapterWords, type Piece } from './chapter-words.ts';

const specification = (chapters: Chapters): Specification => ({ app: { ref: 'a', name: 'a' }, hash: '', chapters });
const reported = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : piece.figure)).join('');
const activity = (calls: number, p50: number | null): Activity => ({
  hours: [],
  today: { calls, failed: 0, p50_ms: p50, p99_ms: p50, per_minute: 0 },
  members: 0,
  sessions: 0,
  health: [],
});
const calls = {
  calls: [],
  rows: [],
  extension_functions: [],
  functions: [],
  jobs: [],
  definitions: [],
  settings: [],
  sources: [],
};

describe('chapterWords', () => {
  it('describes an empty app', () => {
    const entities = { entities: [], relations: [], junctions: [], view_foreign_keys: [], sources: [] };
    expect(reported(chapterWords('entities', specification({ entities }), undefined))).toBe('None yet');
  });

  it('describes calls before their figures are loaded', () => {
    expect(reported(chapterWords('calls', specification({ calls }), undefined))).toBe('0 calls');
  });

  it('does not invent a duration for a day without requests', () => {
    expect(reported(chapterWords('calls', specification({ calls }), activity(0, null)))).toBe(
      '0 calls; 0 requests today',
    );
  });

  it('describes calls on a day with requests', () => {
    expect(reported(chapterWords('calls', specification({ calls }), activity(1234, 1.14)))).toBe(
      '0 calls; 1,234 requests today, p50 1.1 ms, p99 1.1 ms',
    );
  });

  it('counts a limit as changed if a builder can change it and its value is not the default', () => {
    const line = {
      id: 'a',
      group: 'database',
      unit: 'count',
      default: 100,
      range: null,
      code: null,
      may_be_unlimited: false,
      meaning: '',
    } as const;
    const server = { ...line, value: 400, set_in: 'database', change: null } as const;
    const own = { ...line, value: 200, set_in: 'setting', change: { by: 'setting', key: 'a' } } as const;
    const words = (limits: LimitLine[]) =>
      reported(chapterWords('limits', specification({ limits: { limits, sources: [] } }), undefined));
    const wide = { ...own, set_in: 'environment' } as const;
    expect(words([server])).toBe('1 limit, none changed; none hit in 24 hours');
    expect(words([wide])).toBe('1 limit, none changed; none hit in 24 hours');
    expect(words([server, own])).toBe('2 limits, 1 changed; none hit in 24 hours');
  });

  it('returns an empty list for a missing chapter', () =>
    expect(chapterWords('roles', specification({}), undefined)).toEqual([]));
});
