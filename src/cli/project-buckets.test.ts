import { expect, it } from 'vitest';
import { readBuckets } from './project-buckets.ts';

const sizeOf = (size: string) =>
  readBuckets(new Map([['storage.buckets.a.file_size_limit', size]]))[0]?.file_size_limit;

it('readBuckets reads sizes, and leaves those that it cannot read for the app to refuse', () => {
  expect(['50MiB', ' 50 mb ', '1.5k', '7'].map(sizeOf)).toEqual([52428800, 52428800, 1536, 7]);
  // JSON has no infinite number: it would be null, which means no limit.
  const huge = '9'.repeat(400);
  expect(sizeOf(huge)).toBe(huge);
});

it('readBuckets reads a size with many spaces at once', () => {
  const started = performance.now();
  sizeOf(`1${' '.repeat(100_000)}x`);
  expect(performance.now() - started).toBeLessThan(1000);
});
