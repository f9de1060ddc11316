import { serverRoles } from '../../../contract/server-roles.ts';
import type { RoleFact } from '../../catalog/access.ts';
import type { Facts } from '../facts.ts';
import { compareText } from '../names.ts';
import type { Caller } from '../words/outcomes.ts';
import type { Membership } from './membership.ts';

/** Who calls: the role that the call has, and what is known of its user. */
export interface CallingRole {
  oid: number;
  name: string;
  user: Caller['user'];
  /** Of the roles that members can have, the one that the user is known to have; null where none is known. */
  memberRole: string | null;
  /** All roles of members that the user has; absent where the user may have more than `memberRole`. */
  memberRoles?: readonly string[];
}

/** A column of the matrix: a role of the database that calls can have, or a role that members can have. */
export interface ChapterRole {
  /** As the matrix names it. */
  name: string;
  /** The role of the database that its calls have. */
  fact: RoleFact;
  meaning: string;
  caller: CallingRole;
  /** Why no call can have this role; null when it can. */
  barred: string | null;
}

/** Who has the role: what it is for, and, where settings say so, who else calls with it. */
function meaningOf({ name, comment }: RoleFact, { anonymous, roleClaim }: Facts): string {
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
 * Where calls without a token have the role of members, not every call of theirs has a member; and where tokens name the role in a place
 * of their own, members whose token does not call as those without one do.
 */
const userOf = (name: string, { anonymous, roleClaim }: Facts): CallingRole['user'] =>
  name === anonymous && (name !== 'anon' || roleClaim !== null) ? 'unknown' : (givenRoles[name]?.user ?? 'unknown');

/** The roles that every app has, in their order, and what is known of the user of their calls. */
const givenRoles: Readonly<Record<string, { meaning: string; user: CallingRole['user'] }>> = {
  anon: { meaning: 'no session', user: 'none' },
  authenticated: { meaning: 'a signed-in member', user: 'member' },
  service_role: { meaning: 'the secret key', user: 'none' },
};

/**
 * anon and authenticated, then each role of members by name, then service_role, then the app's own roles of the database that
 * its login role may take on, by name.
 */
export function callingRoles(facts: Facts, membership: Membership): ChapterRole[] {
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
        // The database may have a role of that name beside.
        name: taken.has(name) ? `${name} (of members)` : name,
        meaning: description ?? 'a member with this role',
        caller: { ...member.caller, memberRole: name },
      }));
  return [
    ...given.map(column).flatMap((each) => (each.name === 'authenticated' ? [each, ...ofMembers(each)] : [each])),
    ...own.map(column),
  ];
}
