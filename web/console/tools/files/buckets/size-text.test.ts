import { describe, expect, it } from 'vitest';
import { readSize, sizeText } from './size-text.ts';

describe('readSize', () => {
  it('reads whole numbers and fractions in each unit', () => {
    expect(readSize('50', 'MB')).toBe(52_428_800);
    expect(readSize('1.5', 'kB')).toBe(1536);
    expect(readSize(' 7 ', 'bytes')).toBe(7);
  });

  it('refuses nothing, words, zero, signs and numbers that a double cannot count', () => {
    for (const text of ['', 'many', '0', '-1', '1e3', '1,5', '99999999999']) {
      expect(readSize(text, 'TB')).toBeNull();
    }
  });
});

describe('sizeText', () => {
  it('returns the largest unit in which the size is a whole number', () => {
    expect(sizeText(52_428_800)).toEqual({ text: '50', unit: 'MB' });
    expect(sizeText(1536)).toEqual({ text: '1536', unit: 'bytes' });
  });

  it('returns a text that readSize reads as the same size', () => {
    for (const size of [1, 1000, 1024, 5_242_880, 1_099_511_627_776]) {
      const { text, unit } = sizeText(size);
      expect(readSize(text, unit)).toBe(size);
    }
  });
});
