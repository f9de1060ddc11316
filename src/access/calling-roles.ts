import { serverRoles } from '../../contract/server-roles.ts';
import type { RoleFact } from '../catalog/access.ts';
import { compareText } from '../catalog/names.ts';
import type { CommonFacts } from './fact-indexes.ts';
import type { Membership } from './membership.ts';
import type { Caller } from './outcomes.ts';

/** The caller of a request: its database role and the known facts about its user. */
export interface CallingRole {
  oid: number;
  name: string;
  user: Caller['user'];
  /** The member role that the user is known to have; null if none is known. */
  memberRole: string | null;
  /** All member roles of the user; absent if the user may have more roles than `memberRole`. */
  memberRoles?: readonly string[];
}

/** A column of the matrix: a database role that calls can have, or a member role. */
export interface ChapterRole {
  /** The name of the column in the matrix. */
  name: string;
  /** The database role of its calls. */
  fact: RoleFact;
  meaning: string;
  caller: CallingRole;
  /** The reason why no call can have this role; null if calls can have it. */
  barred: string | null;
}

/** Returns the meaning of a role: its purpose and, depending on the settings, the other callers who have it. */
function meaningOf({ name, comment }: RoleFact, { anonymous, roleClaim }: CommonFacts): string {
  const given = givenRoles[name]?.meaning;
  const isAnonymous = name === anonymous;
  const meaning =
    name === 'anon' && !isAnonymous
      ? 'no session, where a token names the role'
      : name === 'authenticated' && !isAnonymous && roleClaim !== null
        ? `${given} whose token says so at ${roleClaim}`
        : (given ?? comment ?? 'a role of the app’s own');
  return [
    meaning,
    isAnonymous && name !== 'anon' && 'and whoever calls without a token',
    isAnonymous && roleClaim !== null && `and members whose token names no role at ${roleClaim}`,
    given !== undefined && comment !== null && `described as “${comment}”`,
  ]
    .filter((part) => part !== false)
    .join('; ');
}

/**
 * Returns what is known of the user of the calls that have the database role `name`: no user, a member, or unknown. It
 * is unknown for the role of calls without a token if that role is `authenticated`, because members have it too. It is
 * also unknown if a setting names the claim of the role, because members whose token lacks this claim then have the
 * role of calls without a token.
 */
const userOf = (name: string, { anonymous, roleClaim }: CommonFacts): CallingRole['user'] =>
  name === anonymous && (name !== 'anon' || roleClaim !== null) ? 'unknown' : (givenRoles[name]?.user ?? 'unknown');

/** The roles that every app has, in the order of the columns, with the kind of user of their calls. */
const givenRoles: Readonly<Record<string, { meaning: string; user: CallingRole['user'] }>> = {
  anon: { meaning: 'no session', user: 'none' },
  authenticated: { meaning: 'a signed-in member', user: 'member' },
  service_role: { meaning: 'the secret key', user: 'none' },
};

/**
 * Returns the columns of the matrix: anon, authenticated, the member roles by name, service_role, then the app's other
 * database roles that its login role may assume, by name.
 */
export function callingRoles(facts: CommonFacts, membership: Membership): ChapterRole[] {
  const login = membership.named(facts.authenticator);
  const assumable = login ? membership.assumableBy(login.oid) : new Set<number>();
  const column = (fact: RoleFact): ChapterRole => {
    return {
      name: fact.name,
      fact,
      meaning: meaningOf(fact, facts),
      caller: { oid: fact.oid, name: fact.name, user: userOf(fact.name, facts), memberRole: null },
      barred: assumable.has(fact.oid) ? null : `the app’s login role may not take on ${fact.name}`,
    };
  };
  const given = Object.keys(givenRoles).flatMap((name) => membership.named(name) ?? []);
  const own = facts.roles
    .filter(
      (role) => assumable.has(role.oid) && !role.can_login && !serverRoles.has(role.name) && !(role.name in givenRoles),
    )
    .filter((role) => !role.name.startsWith('pg_'))
    .sort((a, b) => compareText(a.name, b.name));
  const taken = new Set(own.map((role) => role.name));
  const ofMembers = (member: ChapterRole): ChapterRole[] =>
    [...facts.member_roles]
      .sort((a, b) => compareText(a.name, b.name))
      .map(({ name, description }) => ({
        ...member,
        // A database role may have the same name as a member role, so the column of the member role gets a suffix.
        name: taken.has(name) ? `${name} (of members)` : name,
        meaning: description ?? 'a member with this role',
        caller: { ...member.caller, memberRole: name },
      }));
  return [
    ...given.map(column).flatMap((each) => (each.name === 'authenticated' ? [each, ...ofMembers(each)] : [each])),
    ...own.map(column),
  ];
}
