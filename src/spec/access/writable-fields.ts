import type { RelationFact } from '../../catalog/entities.ts';
import { type ViewColumnOrigin, viewColumnOrigins } from '../../catalog/view-columns.ts';
import type { Facts } from '../facts.ts';
import type { Privileges } from './privileges.ts';

/** For which fields of a relation a statement may give values: those that a grant covers, and through views those that these show. */
export interface WritableFields {
  /** By the field what whoever sends the statement calls it. */
  names: ReadonlyMap<string, string>;
  /** Fields that a view on the way fills in where they are left out. */
  filled: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** The same for those of some fields alone; null for all, by their own names. */
export function restrictTo(giving: WritableFields | null, fields: readonly string[]): WritableFields {
  const names = fields.flatMap((name): [string, string][] => {
    const called = giving === null ? name : giving.names.get(name);
    return called === undefined ? [] : [[name, called]];
  });
  return { names: new Map(names), filled: giving?.filled ?? none };
}

/** What views that take writes show of the table beneath. */
export class ViewFieldMap {
  /** By the view. */
  readonly #origins: (view: number) => readonly ViewColumnOrigin[];
  readonly #privileges: Privileges;

  constructor(facts: Facts, privileges: Privileges) {
    const trees = new Map(facts.view_trees.map(({ view, tree }) => [view, tree]));
    const known = new Map<number, ViewColumnOrigin[]>();
    this.#origins = (view) => {
      const origins = known.get(view) ?? viewColumnOrigins(trees.get(view) ?? '');
      known.set(view, origins);
      return origins;
    };
    this.#privileges = privileges;
  }

  /** What may be given to a table through a view of it, where `giving` may be given to the view. */
  toTable(view: RelationFact, table: RelationFact, giving: WritableFields | null): WritableFields {
    const fields = new Map((this.#privileges.fieldsOf.get(view.oid) ?? []).map((field) => [field.number, field]));
    const base = new Map((this.#privileges.fieldsOf.get(table.oid) ?? []).map(({ number, name }) => [number, name]));
    const names = new Map<string, string>();
    const filled = new Set<string>();
    for (const origin of this.#origins(view.oid)) {
      const [field, name] = [fields.get(origin.column), base.get(origin.tableColumn)];
      if (origin.table !== table.oid || !field || field.computed || name === undefined) continue;
      const called = giving === null ? field.name : giving.names.get(field.name);
      if (called !== undefined && !names.has(name)) names.set(name, called);
      if (field.default !== null || giving?.filled.has(field.name)) filled.add(name);
    }
    return { names, filled };
  }
}
