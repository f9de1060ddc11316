import { describe, expect, it } from 'vitest';
import type { FunctionLogLine } from '../../../contract/functions.ts';
import { ApiFailure } from './api-failure.ts';
import { bundleFaults, withLines } from './functions.ts';

const line = (id: number): FunctionLogLine => ({
  ...{ id, at: '', function: 'hello', request_id: null, level: 'info', message: '', milliseconds: null },
});

describe('withLines', () => {
  const first = withLines(undefined, [line(4), line(7)]);
  it('appends lines that have arrived, and remembers which lines the first read returned', () => {
    const next = withLines(first, [line(9)]);
    expect(next.lines.map(({ id }) => id)).toEqual([4, 7, 9]);
    expect(next.known).toBe(7);
  });
  it('returns the same object if no line has arrived', () => expect(withLines(first, [])).toBe(first));
  it('drops the oldest lines beyond 1000', () => {
    const { lines } = withLines(
      first,
      Array.from({ length: 1000 }, (_, place) => line(10 + place)),
    );
    expect([lines.length, lines[0]?.id]).toEqual([1000, 10]);
  });
});

it('bundleFaults returns the faults of a refused deployment only', () => {
  const faults = [{ file: 'a.ts', line: 1, message: 'Expected ";"' }];
  const failure = (code: string) => new ApiFailure('refused', { code, status: 400, details: faults });
  expect(bundleFaults(failure('function_not_bundled'))).toEqual(faults);
  expect(bundleFaults(failure('function_busy'))).toEqual([]);
  expect(bundleFaults(new Error('other'))).toEqual([]);
});
