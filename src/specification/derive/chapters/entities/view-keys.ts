import { primaryKey } from '../../../../access/fact-indexes.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { writeBit } from '../../../../access/operations.ts';
import { viewColumnOrigins } from '../../../../catalog/view-columns.ts';

/**
 * Finds the fields that identify the rows of a view: the fields that show the complete primary key of its table. Each
 * row of the table must appear at most once in the view. This holds for views that PostgreSQL can update (PostgreSQL
 * manual, "Updatable Views"), because they read one table or one such view and do not join, group or repeat rows. In a
 * view that joins, a key may appear twice, so a call on one row would reach several rows.
 */
export class ViewKeys {
  readonly #look: Lookup;
  readonly #trees: ReadonlyMap<number, string>;

  constructor(look: Lookup) {
    this.#look = look;
    this.#trees = new Map(look.facts.view_trees.map(({ view, tree }) => [view, tree]));
  }

  /**
   * Returns the numbers of the key fields, in the order of the key. For a table, this is the primary key. Returns an
   * empty list if no key identifies a row.
   */
  of(oid: number): readonly number[] {
    const relation = this.#look.relations.get(oid);
    if (relation?.kind !== 'v') return primaryKey(this.#look, oid);
    // A rewrite rule may replace the DELETE. Then the view may accept a DELETE although its rows are not rows of one
    // table.
    if ((relation.updatable & writeBit.delete) === 0 || relation.replaced.includes('delete')) return [];
    const origins = viewColumnOrigins(this.#trees.get(oid) ?? '');
    const base = origins[0]?.table;
    if (base === undefined) return [];
    const shown = this.of(base).map((field) => origins.find(({ tableColumn }) => tableColumn === field)?.column);
    return shown.every((column) => column !== undefined) ? shown : [];
  }
}
