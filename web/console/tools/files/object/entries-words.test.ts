import { describe, expect, it } from 'vitest';
import { entriesWords, folderOf, newPaths, targetProblem } from './entries-words.ts';

const file = (name: string) => ({ kind: 'object' as const, name });
const folder = (name: string) => ({ kind: 'folder' as const, name });

describe('entriesWords', () => {
  it('names a single entry and counts several', () => {
    expect(entriesWords([file('a/b.png')])).toBe('b.png');
    expect(entriesWords([folder('a/b/')])).toBe('b');
    expect(entriesWords([file('a'), file('b'), folder('c/')])).toBe('2 files and 1 folder');
  });
});

describe('folderOf', () => {
  it('returns the part before the last name', () => {
    expect(folderOf('a/b/c.png')).toBe('a/b/');
    expect(folderOf('a/b/')).toBe('a/');
    expect(folderOf('c.png')).toBe('');
  });
});

describe('newPaths', () => {
  it('renames one object', () => {
    expect(newPaths([file('a/b.png')], 'a/c.png')('a/b.png')).toBe('a/c.png');
  });

  it('keeps the places of the objects below a folder that is renamed', () => {
    expect(newPaths([folder('a/b/')], 'x/y')('a/b/c/d.png')).toBe('x/y/c/d.png');
  });

  it('puts several entries into a folder with their names', () => {
    const toFolder = newPaths([file('a/1.png'), folder('a/sub/')], '/x/');
    expect(toFolder('a/1.png')).toBe('x/1.png');
    expect(toFolder('a/sub/2.png')).toBe('x/sub/2.png');
  });

  it('puts several entries into the bucket itself if the target is empty', () => {
    expect(newPaths([file('a/1.png'), file('a/2.png')], '')('a/2.png')).toBe('2.png');
  });
});

describe('targetProblem', () => {
  it('refuses empty parts and parts that lead upwards', () => {
    for (const target of ['', '/', 'a//b', '../a', 'a/./b']) expect(targetProblem(target, false)).not.toBeNull();
  });

  it('accepts the bucket itself as a folder', () => {
    expect(targetProblem('', true)).toBeNull();
    expect(targetProblem('a/b', true)).toBeNull();
  });
});
