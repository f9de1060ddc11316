import type { ChapterRole } from '../../access/calling-roles.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { type Accounts, type Member, stranger, syntheticMembers } from './members.ts';

/** A caller that the probe uses for a cell. */
export interface ProbeCaller {
  /** Words for the report: "without a session", "as a member". */
  as: string;
  /** The database role. */
  role: string;
  claims: string;
  userId: string | null;
  /** SQL that the service role runs before the attempt to prepare the caller. */
  setup?: string;
}

/**
 * Returns the callers for the cells of a column of the matrix.
 * @param concerned Members whose ids are in the tested rows.
 * @param seeded True if the synthetic members have accounts in the transaction.
 * @param max The max number of members for each cell.
 */
export function probeCallers(
  role: ChapterRole,
  accounts: Accounts,
  concerned: readonly Member[],
  seeded: boolean,
  max: number,
): ProbeCaller[] {
  const { fact, caller } = role;
  const ofKey = (as: string): ProbeCaller => ({
    as,
    role: fact.name,
    claims: JSON.stringify({ role: fact.name }),
    userId: null,
  });
  const ofMember = (member: Member, as: string): ProbeCaller => ({
    as,
    role: fact.name,
    claims: JSON.stringify({ ...member.claims, ...accounts.session, sub: member.id, role: fact.name }),
    userId: member.id,
  });
  if (fact.name === 'anon') return [ofKey('without a session')];
  if (fact.name === 'service_role') return [ofKey('with the secret key')];
  const known = new Map(accounts.members.map((member) => [member.id, member]));
  if (caller.memberRole !== null) {
    const has = accounts.withRole.get(caller.memberRole) ?? [];
    const real = has.flatMap((id) => known.get(id) ?? []);
    // Rows may belong to members without this role. These members get the role for the attempt.
    const others = [...concerned, ...accounts.members, ...(seeded ? syntheticMembers.map(stranger) : [])].filter(
      ({ id }) => !has.includes(id) && (known.has(id) || (seeded && syntheticMembers.some((one) => one === id))),
    );
    return distinct([...real.slice(0, 1), ...others, ...real])
      .slice(0, max)
      .map((member) => ({
        ...ofMember(member, `as a member with role ${caller.memberRole}`),
        ...(has.includes(member.id) ? {} : { setup: grant(member.id, caller.memberRole ?? '') }),
      }));
  }
  const members = distinct([...concerned, ...accounts.members]).slice(0, max - 1);
  const all = [...members, ...syntheticMembers.map(stranger)]
    .slice(0, max)
    .map((member) => ofMember(member, 'as a member'));
  return fact.name === 'authenticated' ? all : [ofKey(`as ${fact.name}, without a session`), ...all];
}

const grant = (user: string, role: string): string =>
  `insert into ninefold.member_roles (user_id, role) values (${quoteLiteral(user)}, ${quoteLiteral(role)}) on conflict do nothing`;

const distinct = (members: readonly Member[]): Member[] => [
  ...new Map(members.map((member) => [member.id, member])).values(),
];
