import type { RelationFact } from '../catalog/entities.ts';
import type { AccessLookup } from './lookup.ts';
import type { Policies } from './policies.ts';
import { roleBeneath } from './view-uses.ts';

/**
 * Finds relations whose read locks rows (FOR UPDATE, FOR SHARE) in the query of a view or of a policy. PostgreSQL
 * refuses row locks in a read-only transaction (execMain.c, ExecCheckXactReadOnly).
 */
export class RowLocks {
  readonly #locking: ReadonlySet<number>;
  readonly #look: AccessLookup;
  readonly #policies: Policies;

  constructor(look: AccessLookup, policies: Policies) {
    this.#locking = new Set(look.facts.locking_views);
    this.#look = look;
    this.#policies = policies;
  }

  /**
   * Returns true if reading the relation locks rows.
   * @param role The role whose policies apply.
   */
  reads(role: number, relation: RelationFact): boolean {
    return this.#reads(role, role, relation, new Set());
  }

  #reads(caller: number, role: number, relation: RelationFact, asked: Set<string>): boolean {
    const key = `${role} ${relation.oid}`;
    if (asked.has(key)) return false;
    asked.add(key);
    if (relation.kind === 'v') {
      const base = this.#look.views.base(relation);
      return this.#locking.has(relation.oid) || this.#readsAny(caller, roleBeneath(relation, caller), base, asked);
    }
    const security = this.#policies.rows(role, relation, 'select');
    if (!security.bound) return false;
    const looked = security.policies.flatMap((policy) =>
      policy.reads.flatMap((read) => (read.clause === 'using' ? (this.#look.relations.get(read.relation) ?? []) : [])),
    );
    return security.policies.some(({ locks }) => locks) || this.#readsAny(caller, role, looked, asked);
  }

  #readsAny(caller: number, role: number, relations: readonly RelationFact[], asked: Set<string>): boolean {
    return relations.some((relation) => this.#reads(caller, role, relation, asked));
  }
}
