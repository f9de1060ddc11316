import type { RelationFact } from '../catalog/entities.ts';
import { type ViewColumnOrigin, viewColumnOrigins } from '../catalog/view-columns.ts';
import type { CommonFacts } from './fact-indexes.ts';
import type { Privileges } from './privileges.ts';

/**
 * The fields of a relation that a statement may set: those that a privilege covers and, through views, those that the
 * views show.
 */
export interface WritableFields {
  /** For each settable field of the relation, the name that the statement uses for it. */
  names: ReadonlyMap<string, string>;
  /** Fields that a view fills with its default if the statement omits them. */
  filled: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** Limits the writable fields to `fields`. If `giving` is null, every field is writable under its own name. */
export function restrictTo(giving: WritableFields | null, fields: readonly string[]): WritableFields {
  const names = fields.flatMap((name): [string, string][] => {
    const called = giving === null ? name : giving.names.get(name);
    return called === undefined ? [] : [[name, called]];
  });
  return { names: new Map(names), filled: giving?.filled ?? none };
}

/** Maps the fields of updatable views to the fields of their base table. */
export class ViewFieldMap {
  /** Returns the origins of the columns of a view. */
  readonly #origins: (view: number) => readonly ViewColumnOrigin[];
  readonly #privileges: Privileges;

  constructor(facts: CommonFacts, privileges: Privileges) {
    const trees = new Map(facts.view_trees.map(({ view, tree }) => [view, tree]));
    const known = new Map<number, ViewColumnOrigin[]>();
    this.#origins = (view) => {
      const origins = known.get(view) ?? viewColumnOrigins(trees.get(view) ?? '');
      known.set(view, origins);
      return origins;
    };
    this.#privileges = privileges;
  }

  /** Returns the column that a field of a view shows; undefined if the field shows an expression. */
  originOf({ oid }: RelationFact, field: number): ViewColumnOrigin | undefined {
    return this.#origins(oid).find(({ column }) => column === field);
  }

  /**
   * Returns the fields of a table that a statement may set through a view of the table.
   * @param giving The fields of the view that the statement may set; null for all.
   */
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
