import type { EntityFacts, RelationFact } from '../../catalog/entities.ts';
import { groupBy } from '../group.ts';
import type { RowOperation } from './policies.ts';

/** The tables whose rows are rows of another: its partitions, and those that inherit from it, at every depth. */
export class ChildTables {
  readonly #children: ReadonlyMap<number, EntityFacts['inheritance']>;
  readonly #relations: ReadonlyMap<number, RelationFact>;

  constructor({ inheritance }: Pick<EntityFacts, 'inheritance'>, relations: ReadonlyMap<number, RelationFact>) {
    this.#children = groupBy(inheritance, ({ parent }) => parent);
    this.#relations = relations;
  }

  /** Those that a statement on the table reaches: an INSERT leaves alone what inherits. */
  of(relation: RelationFact, operation: RowOperation): RelationFact[] {
    const found = new Set([relation.oid]);
    for (const oid of found) for (const { child } of this.#children.get(oid) ?? []) found.add(child);
    found.delete(relation.oid);
    return [...found]
      .flatMap((oid) => this.#relations.get(oid) ?? [])
      .filter(({ is_partition }) => operation !== 'insert' || is_partition);
  }

  /** True where each row that can be added to a partitioned table goes to one of some partitions, or beneath one. */
  coversAllRows(relation: RelationFact, some: readonly RelationFact[]): boolean {
    if (relation.kind !== 'p') return false;
    const parts = (this.#children.get(relation.oid) ?? []).flatMap(({ child }) => this.#relations.get(child) ?? []);
    return parts.every((part) => some.includes(part) || (part.kind === 'p' && this.coversAllRows(part, some)));
  }
}
