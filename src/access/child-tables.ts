import type { EntityFacts, RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import type { RowOperation } from './operations.ts';

/** The partitions and inheritance children of tables, at every depth. */
export class ChildTables {
  readonly #children: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly #relations: ReadonlyMap<number, RelationFact>;

  constructor({ inheritance }: Pick<EntityFacts, 'inheritance'>, relations: ReadonlyMap<number, RelationFact>) {
    this.#children = groupBy(inheritance, ({ parent }) => parent);
    this.#relations = relations;
  }

  /** Returns the child tables that the statement also changes. An INSERT does not reach inheritance children. */
  of(relation: RelationFact, operation: RowOperation): RelationFact[] {
    const found = new Set([relation.oid]);
    for (const oid of found) for (const { child } of this.#children.get(oid) ?? []) found.add(child);
    found.delete(relation.oid);
    return [...found]
      .flatMap((oid) => this.#relations.get(oid) ?? [])
      .filter(({ is_partition }) => operation !== 'insert' || is_partition);
  }

  /**
   * Returns true if PostgreSQL stores every new row of a partitioned table in one of the partitions in `some`, or in a
   * partition of one of them.
   */
  coversAllRows(relation: RelationFact, some: readonly RelationFact[]): boolean {
    if (relation.kind !== 'p') return false;
    const parts = (this.#children.get(relation.oid) ?? []).flatMap(({ child }) => this.#relations.get(child) ?? []);
    return parts.every((part) => some.includes(part) || (part.kind === 'p' && this.coversAllRows(part, some)));
  }
}
