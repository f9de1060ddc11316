import { describe, expect, it } from 'vitest';
import { checkWords } from './check-words.ts';

const check = { objects: 2, contents: 1, bytes: 2048, is_read: false, differences: [], more: false };

describe('checkWords', () => {
  it('says what was compared and that nothing differs', () => {
    expect(checkWords(check)).toBe('2 files and 1 content of 2.0 kB compared by their sizes: no difference.');
  });

  it('counts the differences and says if the list is cut short', () => {
    const differences = [{ kind: 'missing' as const, object: 'photos/a.png', key: 'k' }];
    expect(checkWords({ ...check, is_read: true, differences, more: true })).toBe(
      '2 files and 1 content of 2.0 kB compared by their bytes: 1 difference, and there are others.',
    );
  });
});
