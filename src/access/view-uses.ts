import type { RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import type { CommonFacts, Reads } from './fact-indexes.ts';
import { ViewQuery } from './view-query.ts';

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
  readonly #byView: ReadonlyMap<number, CommonFacts['view_uses']>;
  readonly #look: Reads<'relations'>;
  readonly #trees: ReadonlyMap<number, string>;
  /** The queries that were read. */
  readonly #queries = new Map<number, ViewQuery>();

  constructor(facts: CommonFacts, look: Reads<'relations'>) {
    this.#byView = groupBy(facts.view_uses, (use) => use.view);
    this.#look = look;
    this.#trees = new Map(facts.view_trees.map(({ view, tree }) => [view, tree]));
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

  /** Returns the query of the view. */
  query(view: number): ViewQuery {
    const known = this.#queries.get(view);
    if (known) return known;
    const relations = (this.#byView.get(view) ?? []).map((use) => use.relation).filter((oid) => oid !== 0);
    const query = new ViewQuery(this.#trees.get(view) ?? '', [...new Set(relations)]);
    this.#queries.set(view, query);
    return query;
  }

  /** Returns the relations that the view's query names. */
  base(view: RelationFact): RelationFact[] {
    return this.of(view.oid).relations.map(({ relation }) => relation);
  }
}

/** Returns the role whose privileges and policies PostgreSQL applies to the relations that a view reads. */
export const roleBeneath = (view: RelationFact, caller: number): number =>
  view.security_invoker ? caller : view.owner;
