import { expect, it } from 'vitest';
import type { Change, VersionCause, VersionEntry } from '../../../contract/changes.ts';
import { byChapter, causeWords, summary, whoMade } from './change-words.ts';

const change = (chapter: Change['chapter'], words: string): Change => ({ chapter, kind: 'added', words, paths: [] });
const cause = (kind: VersionCause['kind'], what: string, actor = 'Ines'): VersionCause => ({
  kind,
  what,
  actor,
  at: '',
});
const version = (more: Partial<VersionEntry>): VersionEntry => ({
  number: 2,
  hash: '',
  at: '',
  causes: [],
  changes: [],
  change_count: 0,
  ...more,
});

it('byChapter groups changes by chapter, including changes of an unknown chapter', () => {
  const reported = byChapter([
    change('roles', 'a'),
    change('entities', 'b'),
    change('roles', 'c'),
    change('new' as 'roles', 'd'),
  ]);
  expect(reported.map(({ name, changes }) => [name, changes.map(({ words }) => words)])).toEqual([
    ['Entities', ['b']],
    ['Roles', ['a', 'c']],
    ['new', ['d']],
  ]);
});

it('causeWords names each cause of a version once, and counts the causes that it does not name', () => {
  const all = [cause('migration', '0001.sql'), cause('sql', 'CREATE TABLE'), cause('sql', 'CREATE TABLE')];
  expect(causeWords(version({ causes: all }))).toBe('migration 0001.sql and CREATE TABLE');
  const more = [...all, cause('setting', 'jwt_exp'), cause('sql', 'GRANT')];
  expect(causeWords(version({ causes: more }))).toBe('migration 0001.sql, CREATE TABLE, setting jwt_exp and 1 more');
  expect(causeWords(version({ causes: [cause('ninefold', '0.2.0')] }))).toBe('new Ninefold version, 0.2.0');
  expect(causeWords(version({}))).toBe('not known');
  expect(causeWords(version({ number: 1 }))).toBe('first version');
});

it('whoMade names each author of a version once', () => {
  expect(whoMade({ causes: [cause('sql', 'a'), cause('sql', 'b'), cause('sql', 'c', 'operator')] })).toBe(
    'Ines and operator',
  );
  expect(whoMade({ causes: [] })).toBe('');
});

it('summary counts all changes of each chapter, including changes that the response omits', () => {
  expect(summary(version({ changes: [change('roles', 'a')], change_count: 900 }))).toBe('900 changes in Roles');
  expect(summary(version({ number: 1 }))).toBe('First recorded version');
});
