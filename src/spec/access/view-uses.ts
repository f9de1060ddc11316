import type { Facts } from '../facts.ts';
import { groupBy } from '../group.ts';

export interface Uses {
  /** Relations that the view's query names, with the numbers of the fields it reads. */
  relations: { relation: number; fields: number[] }[];
  /** `anyway`: beside what it selects; `read`: by each SELECT, whatever it selects. */
  functions: { oid: number; anyway: boolean; read: boolean }[];
}

/** What each view is made of. */
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
