import type { RelationFact } from '../catalog/entities.ts';
import type { Reads } from './fact-indexes.ts';
import type { RowOperation } from './operations.ts';

/** The partitions and inheritance children of tables, at every depth. */
export class ChildTables {
  readonly #look: Reads<'children' | 'relations'>;

  constructor(look: Reads<'children' | 'relations'>) {
    this.#look = look;
  }

  /** Returns the child tables that the statement also changes. An INSERT does not reach inheritance children. */
  of(relation: RelationFact, operation: RowOperation): RelationFact[] {
    const found = new Set([relation.oid]);
    for (const oid of found) for (const { child } of this.#look.children.get(oid) ?? []) found.add(child);
    found.delete(relation.oid);
    return [...found]
      .flatMap((oid) => this.#look.relations.get(oid) ?? [])
      .filter(({ is_partition }) => operation !== 'insert' || is_partition);
  }

  /**
   * Returns true if PostgreSQL stores every new row of a partitioned table in one of the partitions in `some`, or in a
   * partition of one of them.
   */
  coversAllRows(relation: RelationFact, some: readonly RelationFact[]): boolean {
    if (relation.kind !== 'p') return false;
    const parts = (this.#look.children.get(relation.oid) ?? []).flatMap(
      ({ child }) => this.#look.relations.get(child) ?? [],
    );
    return parts.every((part) => some.includes(part) || (part.kind === 'p' && this.coversAllRows(part, some)));
  }
}
