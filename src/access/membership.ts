import type { MembershipFact, RoleFact } from '../catalog/access.ts';

/** The roles of a server and their memberships, followed as PostgreSQL does (utils/adt/acl.c). */
export class Membership {
  readonly #roles: ReadonlyMap<number, RoleFact>;
  readonly #byMember = new Map<number, MembershipFact[]>();
  readonly #privileges = new Map<number, ReadonlySet<number>>();

  constructor(roles: readonly RoleFact[], memberships: readonly MembershipFact[]) {
    this.#roles = new Map(roles.map((role) => [role.oid, role]));
    for (const membership of memberships) {
      const known = this.#byMember.get(membership.member);
      if (known) known.push(membership);
      else this.#byMember.set(membership.member, [membership]);
    }
  }

  role(oid: number): RoleFact | undefined {
    return this.#roles.get(oid);
  }

  named(name: string): RoleFact | undefined {
    return [...this.#roles.values()].find((role) => role.name === name);
  }

  /** Returns the role itself and every role whose privileges it has without SET ROLE (has_privs_of_role). */
  privilegesOf(role: number): ReadonlySet<number> {
    const known = this.#privileges.get(role);
    if (known) return known;
    const found = this.#reach(role, (membership) => membership.inherit);
    this.#privileges.set(role, found);
    return found;
  }

  /** Returns true if `role` has the privileges of `of`. A superuser has the privileges of every role. */
  hasPrivilegesOf(role: number, of: number): boolean {
    return this.#roles.get(role)?.superuser === true || this.privilegesOf(role).has(of);
  }

  /** Returns the roles that this role may SET ROLE to, without the role itself. */
  assumableBy(role: number): ReadonlySet<number> {
    const found = new Set(this.#reach(role, (membership) => membership.set));
    found.delete(role);
    return found;
  }

  #reach(from: number, follows: (membership: MembershipFact) => boolean): ReadonlySet<number> {
    const found = new Set([from]);
    for (const member of found) {
      for (const membership of this.#byMember.get(member) ?? []) if (follows(membership)) found.add(membership.role);
    }
    return found;
  }
}
