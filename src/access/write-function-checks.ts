import type { FieldFact, RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import { compareText } from '../catalog/names.ts';
import type { WriteFunctionFact } from '../catalog/write-functions.ts';
import type { ChildTables } from './child-tables.ts';
import { addCondition, type Decision, denied, display, refusal } from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import { triggerBit, type WriteOperation } from './operations.ts';

type Part = WriteFunctionFact['by'] | 'domain';

/** Returns words for the part of a table that calls a function, for sentences. */
const parts: Readonly<Record<Part, (name: string) => string>> = {
  check: (name) => `the rule ${name}`,
  domain: (name) => `the type of ${name}`,
  generated: (name) => `the generated field ${name}`,
  index: (name) => `the index ${name}`,
  trigger: (name) => `the trigger ${name}`,
  partition: (name) => `the key of the partitions of ${name}`,
};

/**
 * A refused call. `without` is the condition under which a statement does not make the call; null if every statement
 * makes it.
 */
interface Refused {
  by: Part;
  function: number;
  reason: string;
  without: string | null;
}

/**
 * Decides about the functions that a table calls when it is written. PostgreSQL checks that the role may execute these
 * functions, regardless of the owner of the table.
 */
export class WriteFunctionChecks {
  readonly #look: AccessLookup;
  readonly #childTables: ChildTables;
  readonly #calls: ReadonlyMap<number, readonly WriteFunctionFact[]>;

  constructor(look: AccessLookup, childTables: ChildTables) {
    this.#look = look;
    this.#childTables = childTables;
    this.#calls = groupBy(look.facts.write_functions, ({ relation }) => relation);
  }

  /**
   * Returns the decision with the conditions that these functions add.
   * @param role The caller, even if a view writes with the privileges of its owner.
   */
  decide(decision: Decision, role: number, relation: RelationFact, operation: WriteOperation): Decision {
    const calls = this.#refused(role, relation, operation);
    const anyway = calls.find(({ without }) => without === null);
    if (anyway) return { ...denied(anyway.reason), policies: decision.policies };
    const limited = calls.reduce((one, { without, reason }) => addCondition(one, without ?? '', reason), decision);
    return this.#ofChildTables(limited, role, relation, operation, calls);
  }

  /**
   * Adds the conditions of the functions that the partitions and inheritance children call but the table itself does
   * not.
   */
  #ofChildTables(
    decision: Decision,
    role: number,
    relation: RelationFact,
    operation: WriteOperation,
    own: readonly Refused[],
  ): Decision {
    if (this.#calls.size === 0 && !this.#look.privileges.checksTypes) return decision;
    const refused = this.#childTables.of(relation, operation).flatMap((heir) =>
      this.#refused(role, heir, operation)
        .filter((call) => !own.some((one) => one.function === call.function))
        .map((call) => ({ heir, call })),
    );
    const shut = refused.filter(({ call }) => call.without === null);
    const [first] = shut;
    const barred = [...new Set(shut.map(({ heir }) => heir))];
    if (first && this.#childTables.coversAllRows(relation, barred)) {
      return { ...denied(first.call.reason), policies: decision.policies };
    }
    const outside = first
      ? addCondition(decision, `only rows outside ${barred.map(display).join(', ')}`, first.call.reason, 'table')
      : decision;
    return refused
      .filter(({ heir }) => !barred.includes(heir))
      .reduce(
        (one, { heir, call }) => addCondition(one, `of rows in ${display(heir)} ${call.without}`, call.reason, 'table'),
        outside,
      );
  }

  /** Returns the refused calls of a table, sorted by the part that makes them. */
  #refused(role: number, table: RelationFact, operation: WriteOperation): Refused[] {
    const ofParts = (this.#calls.get(table.oid) ?? []).flatMap((call) => {
      const { by, name, events } = call;
      const [routine] =
        (events & triggerBit[operation]) === 0 ? [] : this.#look.privileges.refusedFunctions(role, [call.function]);
      if (routine === undefined) return [];
      const without = this.#without(operation, call);
      return [{ by, function: call.function, reason: reasonOf(by, name, routine), without }];
    });
    const ofTypes = operation === 'delete' ? [] : this.#ofTypes(role, table, operation);
    if (ofTypes.length === 0) return ofParts;
    return [...ofParts, ...ofTypes].sort((a, b) => compareText(a.by, b.by));
  }

  /** Returns the refused calls of the types of the table's fields. */
  #ofTypes(role: number, table: RelationFact, operation: 'insert' | 'update'): Refused[] {
    const { privileges } = this.#look;
    if (!privileges.checksTypes || (table.kind !== 'r' && table.kind !== 'p')) return [];
    return [...this.#fieldsOf(table)]
      .sort((a, b) => compareText(a.name, b.name))
      .flatMap(({ name, type_oid }) => {
        const byFunction = groupBy(privileges.refusedChecks(role, type_oid), (check) => check.function);
        return [...byFunction].flatMap(([called, checks]) => {
          // A value of an array, range or row type calls the function only if it contains a value of the domain.
          const isAlways = checks.some(({ always }) => always);
          const inserted = isAlways ? null : `without a value of ${name}`;
          return checks.slice(0, 1).map(({ routine }) => ({
            by: 'domain' as const,
            function: called,
            reason: reasonOf('domain', name, routine),
            without: operation === 'insert' ? inserted : `without a change of ${name}`,
          }));
        });
      });
  }

  #without(operation: WriteOperation, { by, name, fields }: WriteFunctionFact): string | null {
    if (operation !== 'update') return null;
    // An update adds an entry to every index, except for a heap-only tuple (HOT): no indexed field changes and the page
    // of the old row has free space.
    if (by === 'index') return `without a new entry in the index ${name}`;
    if (fields.length === 0) return null;
    return `without a change of ${fields.join(', ')}`;
  }

  /** Returns the fields of a table. A partition without its own entry has the fields of its parent. */
  #fieldsOf({ oid }: Pick<RelationFact, 'oid'>): readonly FieldFact[] {
    const own = this.#look.fields.get(oid);
    if (own) return own;
    const [link] = this.#look.parents.get(oid) ?? [];
    return link ? this.#fieldsOf({ oid: link.parent }) : [];
  }
}

const reasonOf = (by: Part, name: string, routine: string): string =>
  refusal(`${parts[by](name)} calls ${routine}(), which the role may not execute`).reason;
