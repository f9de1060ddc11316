import { viewColumnOrigins } from '../catalog/view-columns.ts';
import { writeBit } from './access/view-access.ts';
import type { Lookup } from './lookup.ts';

/**
 * By which fields a view's rows are told apart: those that show the whole primary key of a table of which each row is one row of the view at
 * most. That is so of views through which PostgreSQL itself writes (PostgreSQL manual, "Updatable Views"): one table or such a view, and
 * nothing that joins, groups or repeats rows. A view that joins may show a key twice, so that calls about one row would reach several.
 */
export class ViewKeys {
  readonly #look: Lookup;
  readonly #trees: ReadonlyMap<number, string>;

  constructor(look: Lookup) {
    this.#look = look;
    this.#trees = new Map(look.facts.view_trees.map(({ view, tree }) => [view, tree]));
  }

  /** Numbers of the fields, in the order of the key; of a table its primary key. None where rows are not told apart. */
  of(oid: number): readonly number[] {
    const relation = this.#look.relations.get(oid);
    if (relation?.kind !== 'v') return this.#look.primaryKey(oid);
    // A rule that stands in for it says nothing of the rows.
    if ((relation.updatable & writeBit.delete) === 0 || relation.replaced.includes('delete')) return [];
    const origins = viewColumnOrigins(this.#trees.get(oid) ?? '');
    const base = origins[0]?.table;
    if (base === undefined) return [];
    const shown = this.of(base).map((field) => origins.find(({ tableColumn }) => tableColumn === field)?.column);
    return shown.every((column) => column !== undefined) ? shown : [];
  }
}
