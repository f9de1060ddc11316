import type { RoleEntry } from '../../../../contract/specification-roles.ts';
import { inline } from './escape.ts';

/** Returns the callers of a role, as the subject of a sentence: "a signed-in member", "an agent", "a visitor". */
export function callersOf({ name, member_role }: Pick<RoleEntry, 'name' | 'member_role'>): string {
  if (member_role !== null) return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${inline(name)}`;
  return known[name] ?? `a caller with the database role ${inline(name)}`;
}

const known: Readonly<Record<string, string>> = {
  anon: 'a visitor',
  authenticated: 'a signed-in member',
  service_role: 'the secret key',
};

/**
 * Returns the roles as few words: `everybody` for all roles, `members` for all but those without a session, otherwise
 * their names. `rolesLegend` explains both words.
 */
export function rolesText(names: readonly string[], all: readonly Pick<RoleEntry, 'name'>[]): string {
  const others = all.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  if (names.length === 0) return 'nobody';
  if (others.length === 0) return 'everybody';
  if (others.length === 1 && others[0] === 'anon') return 'members';
  return names.map(inline).join(', ');
}

export const rolesLegend =
  'Here and in chapter 7, “everybody” stands for all roles of chapter 6, “members” for all of them except anon.';
