import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { PreviewCaller } from '../../queries/preview.ts';
import { type OfferedMember, offeredMembers } from '../../queries/preview.ts';
import { type DefinedRole, definedRoles } from '../../queries/roles.ts';
import { withArticle } from './screen-groups.ts';

/** A kind of member: visitors, members without a role, or the members with one role. */
export interface MemberKind {
  /** The value of `as` in the address. */
  readonly id: string;
  /** With an article, for a sentence: "an agent". */
  readonly one: string;
  /** For a button: "Agent". */
  readonly label: string;
  /** The caller if no member is chosen. */
  readonly caller: PreviewCaller;
}

const visitor: MemberKind = { id: 'visitor', one: 'a visitor', label: 'Visitor', caller: 'anon' };
const member: MemberKind = { id: 'member', one: 'a member', label: 'Member', caller: { role: null } };

/** Returns the kinds of members of an app, those that see the least first. Pure. */
function memberKinds(roles: readonly DefinedRole[]): MemberKind[] {
  return [visitor, member, ...roles.map(({ name }) => kindOfRole(name))];
}

function kindOfRole(name: string): MemberKind {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return {
    id: `role:${name}`,
    one: withArticle(words),
    label: words.charAt(0).toUpperCase() + words.slice(1),
    caller: { role: name },
  };
}

/** The kind of member that the pictures show, and the member whose rows they show. */
export interface CallerChoice {
  readonly kinds: readonly MemberKind[];
  readonly kind: MemberKind;
  /** The members of the kind that can be chosen; undefined until they are known. */
  readonly members: readonly OfferedMember[] | undefined;
  /** The chosen member; null for a visitor, and for a kind without members. */
  readonly member: OfferedMember | null;
  /** Undefined until it is known. */
  readonly caller: PreviewCaller | undefined;
  readonly choose: (kind: MemberKind, member?: string) => void;
}

/** Returns the choice of the caller in the address; by default, a member of the first role that members have. */
export function useCallerChoice(ref: string): CallerChoice {
  const { as, member: wanted } = useSearch({ from: '/signed-in/app/$ref/screens' });
  const navigate = useNavigate();
  const { data: roles } = useQuery(definedRoles(ref));
  const kinds = useMemo(() => memberKinds(roles ?? []), [roles]);
  const filled = roles?.find(({ members: holders }) => holders > 0) ?? roles?.[0];
  const usual = filled === undefined ? member : kinds.find(({ id }) => id === `role:${filled.name}`);
  const kind = kinds.find(({ id }) => id === as) ?? usual ?? member;
  const role = kind.caller !== 'anon' && 'role' in kind.caller ? kind.caller.role : null;
  const { data: members } = useQuery({
    ...offeredMembers(ref, role),
    enabled: kind !== visitor && roles !== undefined,
  });
  const chosen = kind === visitor ? null : (members?.find(({ id }) => id === wanted) ?? members?.[0] ?? null);
  const isKnown = roles !== undefined && (kind === visitor || members !== undefined);
  // The same object for the same caller, because a preview of another caller starts again.
  const caller = useMemo(
    () => (!isKnown ? undefined : chosen ? { member: chosen.id } : kind.caller),
    [isKnown, chosen, kind],
  );
  return {
    ...{ kinds, kind, members, member: chosen, caller },
    choose: ({ id }, to) =>
      void navigate({
        to: '.',
        search: ({ as: _, member: __, ...others }) => ({ ...others, as: id, ...(to && { member: to }) }),
        replace: true,
        resetScroll: false,
      }),
  };
}
