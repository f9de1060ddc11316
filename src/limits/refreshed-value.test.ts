import { expect, it, vi } from 'vitest';
import { RefreshedValue } from './refreshed-value.ts';

it('RefreshedValue returns the previous value until a new one is loaded, also if a load fails', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const value = new RefreshedValue<string>(1000);
  await expect(value.get(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  expect(await value.get(async () => 'one')).toBe('one');
  expect(await value.get(async () => 'unused')).toBe('one');
  now.mockReturnValue(1000);
  expect(await value.get(() => Promise.reject(new Error('no database')))).toBe('one');
  now.mockReturnValue(2000);
  expect(await value.get(async () => 'two')).toBe('one');
  expect(await value.get(async () => 'unused')).toBe('two');
  value.discard();
  expect(await value.get(async () => 'three')).toBe('three');
  now.mockRestore();
});
