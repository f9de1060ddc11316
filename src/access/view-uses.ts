import type { RelationFact } from '../catalog/entities.ts';
import type { DecisionFacts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';

/** The relations and functions that the query of a view uses. */
export interface Uses {
  /** Relations that the view's query names, with the numbers of the fields that it reads. */
  relations: { relation: RelationFact; fields: number[] }[];
  /**
   * Functions that the view's query calls. `anyway`: the call is outside the select list. `read`: every SELECT on the
   * view makes the call, whatever fields it selects.
   */
  functions: { oid: number; anyway: boolean; read: boolean }[];
}

/** The relations and functions of each view. */
export class ViewUses {
  readonly #byView: ReadonlyMap<number, DecisionFacts['view_uses']>;
  readonly #relations: ReadonlyMap<number, RelationFact>;

  constructor(facts: DecisionFacts, relations: ReadonlyMap<number, RelationFact>) {
    this.#byView = groupBy(facts.view_uses, (use) => use.view);
    this.#relations = relations;
  }

  of(view: number): Uses {
    const uses = this.#byView.get(view) ?? [];
    const byRelation = groupBy(
      uses.filter((use) => use.relation !== 0),
      (use) => use.relation,
    );
    return {
      relations: [...byRelation].flatMap(([oid, used]) => {
        const relation = this.#relations.get(oid);
        return relation ? [{ relation, fields: used.map((use) => use.field) }] : [];
      }),
      functions: uses.flatMap((use) =>
        use.function === 0 ? [] : [{ oid: use.function, anyway: use.anyway, read: use.read }],
      ),
    };
  }

  /** Returns the relations that the view's query names. */
  base(view: RelationFact): RelationFact[] {
    return this.of(view.oid).relations.map(({ relation }) => relation);
  }
}

/** Returns the role whose privileges and policies PostgreSQL applies to the relations that a view reads. */
export const roleBeneath = (view: RelationFact, caller: number): number =>
  view.security_invoker ? caller : view.owner;
