import { describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { bucketName, decodedPath, objectName } from './names.ts';

describe('objectName', () => {
  it.each([
    'a',
    'a/b.txt',
    'über straße.txt',
    '灯泡.jpeg',
    "it's (1) #2 100%.txt",
    'a\u202fb',
    '..a',
    'a..',
    '.a/.b',
    '\u{1F600}',
  ])('takes %j', (name) => expect(objectName(name)).toBe(name.normalize('NFC')));

  it('keeps the spelling of a name with accents', () => {
    expect(objectName('e\u0301.txt')).toBe('e\u0301.txt');
  });

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/./b',
    'a/..',
    'a\u0000b',
    'a\nb',
    'a\u007f',
    'a\u0085',
    '\ud800',
    'a\udc00b',
  ])('refuses %j', (name) => expect(() => objectName(name)).toThrow(expect.objectContaining({ code: 'InvalidKey' })));

  it('refuses a path that is too long in UTF-8, and repeats only a part of it', () => {
    const max = limits.storagePathBytes.default;
    expect(objectName('x'.repeat(max))).toHaveLength(max);
    for (const name of ['x'.repeat(max + 1), 'ü'.repeat(max / 2 + 1)]) {
      expect(() => objectName(name)).toThrow(/^Invalid key: .{120}$/u);
    }
  });
});

describe('bucketName', () => {
  it.each(['photos', 'My Bucket', "a_b-c.d!*'()&$@=;:+,?", 'x'.repeat(100)])('takes %j', (name) => {
    expect(bucketName(name)).toBe(name);
  });

  it.each(['', ' a', 'a ', 'a/b', '..', '.', 'a%2Fb', 'ü', 'a\u0000', 'a\\b', 'x'.repeat(101)])(
    'refuses %j',
    (name) => {
      expect(() => bucketName(name)).toThrow(expect.objectContaining({ code: 'InvalidBucketName' }));
    },
  );
});

describe('decodedPath', () => {
  it('decodes escapes, and leaves a percent sign that begins no escape', () => {
    expect(decodedPath('100%.txt')).toBe('100%.txt');
    expect(decodedPath('%E7%81%AF%2F%25')).toBe('灯/%');
    expect(decodedPath('%2e%2e%2fa')).toBe('../a');
  });

  it('refuses bytes that are not UTF-8', () => {
    for (const part of ['%ff', '%c0%ae', '%ed%a0%80']) {
      expect(() => decodedPath(part)).toThrow(expect.objectContaining({ code: 'InvalidKey' }));
    }
  });
});
