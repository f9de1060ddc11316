import type { Change, VersionCause, VersionEntry } from '../../../contract/changes.ts';
import { chapters } from '../../../contract/chapters.ts';
import { counted, listed } from '../format/format.ts';

/** The changes of one chapter, in the order of the chapters. */
export interface ChapterChanges {
  number: number;
  name: string;
  changes: Change[];
}

/** Groups changes by chapter. Changes of a chapter that the console does not know come last, under the key of that chapter. */
export function byChapter(changes: readonly Change[]): ChapterChanges[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) groups.set(change.chapter, [...(groups.get(change.chapter) ?? []), change]);
  return [...groups]
    .map(([key, members]) => {
      const known = chapters.find((chapter) => chapter.key === key);
      return { number: known?.number ?? 10, name: known?.name ?? key, changes: members };
    })
    .sort((a, b) => a.number - b.number);
}

const kinds: Readonly<Record<VersionCause['kind'], (what: string) => string>> = {
  migration: (what) => `migration ${what}`,
  seed: (what) => what,
  sql: (what) => what,
  setting: (what) => `setting ${what}`,
  definition: (what) => `definition in ${what}`,
  ninefold: (what) => `new Ninefold version, ${what}`,
};

/**
 * Describes the causes of a version, for example "migration 0002_roles.sql" or "CREATE TABLE and setting jwt_exp". Of
 * more than three causes, names the first three.
 */
export function causeWords({ number, causes }: Pick<VersionEntry, 'number' | 'causes'>): string {
  if (causes.length === 0) return number === 1 ? 'first version' : 'not known';
  const all = [...new Set(causes.map(({ kind, what }) => kinds[kind](what)))];
  return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : listed(all);
}

/** Returns the authors of a version; empty if they are unknown. */
export const whoMade = ({ causes }: Pick<VersionEntry, 'causes'>): string =>
  listed([...new Set(causes.map(({ actor }) => actor))].slice(0, 3));

/** Summarizes a version, for example "3 changes in Entities and Roles". Says so if it is the first version. */
export function summary({ number, changes, change_count }: VersionEntry): string {
  if (change_count === 0) return number === 1 ? 'First recorded version' : 'No change in the specification';
  const where = listed(byChapter(changes).map(({ name }) => name));
  return `${counted(change_count, 'change')} in ${where}`;
}
