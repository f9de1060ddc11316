import { quoteLiteral } from '../../database/statement.ts';
import type { ChapterRole } from '../access/calling-roles.ts';
import { type Accounts, type Member, stranger, strangers } from './members.ts';

/** Somebody as whom a cell is tried. */
export interface Person {
  /** "without a session", "as a member". */
  as: string;
  /** The role of the database. */
  role: string;
  claims: string;
  userId: string | null;
  /** What must be so before, as SQL of the service role. */
  setup?: string;
}

/**
 * Who tries the cells of a column. `concerned` are members whom the rows at hand have to do with; `seeded`, strangers that have
 * accounts within the transaction; `most`, how many members try each cell.
 */
export function peopleOf(
  role: ChapterRole,
  accounts: Accounts,
  concerned: readonly Member[],
  seeded: boolean,
  most: number,
): Person[] {
  const { fact, caller } = role;
  const ofKey = (as: string): Person => ({
    as,
    role: fact.name,
    claims: JSON.stringify({ role: fact.name }),
    userId: null,
  });
  const ofMember = (member: Member, as: string): Person => ({
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
    // Rows can belong to members who have another role or none: they are given it for the try.
    const others = [...concerned, ...accounts.members, ...(seeded ? strangers.map(stranger) : [])].filter(
      ({ id }) => !has.includes(id) && (known.has(id) || (seeded && strangers.some((one) => one === id))),
    );
    return distinct([...real.slice(0, 1), ...others, ...real])
      .slice(0, most)
      .map((member) => ({
        ...ofMember(member, `as a member with role ${caller.memberRole}`),
        ...(has.includes(member.id) ? {} : { setup: grant(member.id, caller.memberRole ?? '') }),
      }));
  }
  const members = distinct([...concerned, ...accounts.members]).slice(0, most - 1);
  const all = [...members, ...strangers.map(stranger)].slice(0, most).map((member) => ofMember(member, 'as a member'));
  return fact.name === 'authenticated' ? all : [ofKey(`as ${fact.name}, without a session`), ...all];
}

const grant = (user: string, role: string): string =>
  `insert into ninefold.member_roles (user_id, role) values (${quoteLiteral(user)}, ${quoteLiteral(role)}) on conflict do nothing`;

const distinct = (members: readonly Member[]): Member[] => [
  ...new Map(members.map((member) => [member.id, member])).values(),
];
