import type { Facts } from '../catalog/facts.ts';
import { groupBy } from '../catalog/group.ts';

/** The relations and functions that the query of a view uses. */
export interface Uses {
  /** Relations that the view's query names, with the numbers of the fields that it reads. */
  relations: { relation: number; fields: number[] }[];
  /**
   * Functions that the view's query calls. `anyway`: outside the select list. `read`: for each SELECT, whatever fields
   * are selected.
   */
  functions: { oid: number; anyway: boolean; read: boolean }[];
}

/** The relations and functions of each view. */
export class ViewUses {
  readonly #byView: ReadonlyMap<number, Facts['view_uses']>;

  constructor(facts: Facts) {
    this.#byView = groupBy(facts.view_uses, (use) => use.view);
  }

  of(view: number): Uses {
    const uses = this.#byView.get(view) ?? [];
    const relations = groupBy(
      uses.filter((use) => use.relation !== 0),
      (use) => use.relation,
    );
    return {
      relations: [...relations].map(([relation, used]) => ({ relation, fields: used.map((use) => use.field) })),
      functions: uses.flatMap((use) =>
        use.function === 0 ? [] : [{ oid: use.function, anyway: use.anyway, read: use.read }],
      ),
    };
  }
}
