import { describe, expect, it } from 'vitest';
import type { EdgeFunction, FunctionVersion } from '../../../../../contract/functions.ts';
import { draftedFiles, editedVersion, languageOf, pathsOf, placeOf, whyNoPath, withFile } from './code-draft.ts';

const files = { 'hello/index.ts': 'one', '_shared/cors.ts': 'two' };
const unchanged = { base: 3, files: {} };

describe('withFile', () => {
  it('adds, changes and deletes files of the version', () => {
    const added = withFile(files, unchanged, 'hello/new.ts', '') ?? unchanged;
    const changed = withFile(files, added, 'hello/index.ts', 'three') ?? unchanged;
    const deleted = withFile(files, changed, '_shared/cors.ts', null);
    expect(deleted?.base).toBe(3);
    expect(draftedFiles(files, deleted)).toEqual({ 'hello/index.ts': 'three', 'hello/new.ts': '' });
  });
  it('returns undefined if the files are those of the version again', () => {
    const changed = withFile(files, unchanged, 'hello/index.ts', 'three') ?? unchanged;
    expect(withFile(files, changed, 'hello/index.ts', 'one')).toBeUndefined();
    const added = withFile(files, unchanged, 'hello/new.ts', '') ?? unchanged;
    expect(withFile(files, added, 'hello/new.ts', null)).toBeUndefined();
  });
});

it('draftedFiles returns the files of the version if nothing is changed', () => {
  expect(draftedFiles(files, undefined)).toEqual(files);
});

it('pathsOf lists the entrypoint first', () => {
  expect(pathsOf(files, 'hello/index.ts')).toEqual(['hello/index.ts', '_shared/cors.ts']);
});

describe('whyNoPath', () => {
  it.each(['_shared/a.ts', 'deno.json', 'hello/a b.ts'])('accepts %j', (path) =>
    expect(whyNoPath(path, files)).toBeNull(),
  );
  it.each(['', '/a.ts', '../a.ts', 'a//b.ts', 'a/../b.ts', 'a\\b.ts', 'hello/', 'hello/index.ts'])(
    'refuses %j',
    (path) => expect(whyNoPath(path, files)).not.toBeNull(),
  );
});

describe('editedVersion', () => {
  const version = (number: number, isActive: boolean): FunctionVersion => ({
    ...{
      number,
      created_at: '',
      created_by: 'Ines',
      message: null,
      entrypoint: 'hello/index.ts',
      bytes: 1,
      sha256: '',
    },
    ...{ reads: [], is_active: isActive },
  });
  const withVersions = (...versions: FunctionVersion[]) => ({ versions }) as unknown as EdgeFunction;
  it('is the version that runs', () => {
    expect(editedVersion(withVersions(version(2, false), version(1, true)))).toBe(1);
  });
  it('is the newest version while the function is switched off', () => {
    expect(editedVersion(withVersions(version(2, false), version(1, false)))).toBe(2);
  });
});

it('languageOf chooses the colours by the ending of the path', () => {
  expect(['a.ts', 'a.mjs', 'deno.jsonc', 'a.sql', 'a.md'].map(languageOf)).toEqual([
    ...['javascript', 'javascript', 'json', 'sql', 'text'],
  ]);
});

it('placeOf names the file and the line that a fault has', () => {
  expect(placeOf({ file: 'a.ts', line: 3, message: '' })).toBe('a.ts:3');
  expect(placeOf({ file: 'a.ts', line: null, message: '' })).toBe('a.ts');
  expect(placeOf({ file: null, line: null, message: '' })).toBeNull();
});
