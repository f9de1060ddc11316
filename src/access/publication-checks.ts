import type { RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import type { UnreplicatedFact } from '../catalog/publications.ts';
import type { ChildTables } from './child-tables.ts';
import { addCondition, type Decision, denied, display, type Refusal, refusal } from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import { cascade, type RowOperation } from './operations.ts';

const reasons: Readonly<Record<UnreplicatedFact['why'], (table: string) => [words: string, code: string]>> = {
  none: (table) => [`${table} has no replica identity, such as a primary key`, '55000'],
  filter: (table) => [`its filter asks for a field that is not in the replica identity of ${table}`, '42P10'],
  fields: (table) => [`it leaves out a field of the replica identity of ${table}`, '42P10'],
};

/**
 * Decides about tables in publications. PostgreSQL refuses a change that a publication could not replicate, even if the
 * publication has no subscriber.
 */
export class PublicationChecks {
  readonly #refused: ReadonlyMap<number, readonly UnreplicatedFact[]>;
  readonly #childTables: ChildTables;
  readonly #look: AccessLookup;

  constructor(look: AccessLookup, childTables: ChildTables) {
    this.#look = look;
    this.#refused = groupBy(look.facts.unreplicated, ({ relation }) => relation);
    this.#childTables = childTables;
  }

  /** Returns the decision with the conditions that the publications add. */
  decide(decision: Decision, relation: RelationFact, operation: RowOperation): Decision {
    if (operation === 'select' || operation === 'insert' || this.#refused.size === 0) return decision;
    const own = this.#refusal(relation, operation);
    if (own) return { ...denied(own), policies: decision.policies };
    const heirs = this.#childTables.of(relation, operation);
    const refused = heirs.flatMap((heir) => {
      const refused = this.#refusal(heir, operation);
      return refused === null ? [] : [{ heir, refused }];
    });
    const [first] = refused;
    if (!first) return this.#ofKeys(decision, relation, operation);
    // A filter can exclude partitions before the statement starts (partition pruning), but no other child tables.
    const open = heirs.filter((heir) => heir.kind === 'r' && !refused.some((one) => one.heir === heir));
    const anyway = refused.find(({ heir }) => !heir.is_partition) ?? (open.length === 0 ? first : null);
    if (anyway) return { ...denied(anyway.refused), policies: decision.policies };
    const names = refused.map(({ heir }) => display(heir)).join(', ');
    return addCondition(decision, `with a filter that leaves out ${names}`, first.refused.reason, 'table');
  }

  /**
   * Adds the conditions for rows of other tables: foreign keys may delete or change the rows that reference a deleted
   * or changed row.
   */
  #ofKeys(decision: Decision, relation: RelationFact, operation: 'update' | 'delete'): Decision {
    if (decision.verdict === 'never') return decision;
    return (this.#look.pointing.get(relation.oid) ?? []).reduce((limited, key) => {
      const table = this.#look.relations.get(key.relation);
      const does = cascade(operation, operation === 'delete' ? key.on_delete : key.on_update);
      const refused = table && does ? this.#refusal(table, does) : null;
      if (!table || refused === null || limited.verdict === 'never') return limited;
      // PostgreSQL refuses the delete of referencing rows before it looks for any, so every delete fails.
      if (operation === 'delete') return { ...denied(refused), policies: decision.policies };
      return addCondition(limited, `without a change of what ${display(table)} points to`, refused.reason);
    }, decision);
  }

  #refusal(relation: RelationFact, operation: 'update' | 'delete'): Refusal | null {
    const fact = this.#refused.get(relation.oid)?.find(({ operations }) => operations.includes(operation));
    if (!fact) return null;
    const [why, code] = reasons[fact.why](display(relation));
    return refusal(`the publication ${fact.publication} tells of each ${operation}, and ${why}`, code);
  }
}
