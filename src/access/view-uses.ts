import type { RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import type { CommonFacts, Reads } from './fact-indexes.ts';

/** The relations and functions that the query of a view uses. */
export interface Uses {
  /** Relations that the view's query names, with the numbers of the fields that it reads. */
  relations: { relation: RelationFact; fields: number[] }[];
  /**
   * Functions that the view's query calls. `anyway`: outside the select list. `read`: for each SELECT, whatever fields
   * are selected.
   */
  functions: { oid: number; anyway: boolean; read: boolean }[];
}

/** The relations and functions of each view. */
export class ViewUses {
  readonly #byView: ReadonlyMap<number, CommonFacts['view_uses']>;
  readonly #look: Reads<'relations'>;

  constructor(facts: CommonFacts, look: Reads<'relations'>) {
    this.#byView = groupBy(facts.view_uses, (use) => use.view);
    this.#look = look;
  }

  of(view: number): Uses {
    const uses = this.#byView.get(view) ?? [];
    const byRelation = groupBy(
      uses.filter((use) => use.relation !== 0),
      (use) => use.relation,
    );
    return {
      relations: [...byRelation].flatMap(([oid, used]) => {
        const relation = this.#look.relations.get(oid);
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
