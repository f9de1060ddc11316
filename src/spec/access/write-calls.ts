import type { RelationFact } from '../../catalog/entities.ts';
import type { WriteFunctionFact, WriteFunctionFacts } from '../../catalog/write-functions.ts';
import { groupBy } from '../group.ts';
import { type Decision, display, limit, refuse } from './decision.ts';
import type { Heirs } from './heirs.ts';
import type { RowOperation } from './policies.ts';
import type { Rights } from './rights.ts';

/** Bits of pg_trigger.tgtype. */
const eventBit = { insert: 4, delete: 8, update: 16 } as const;

/** Which part of a table calls a function. */
const parts: Readonly<Record<WriteFunctionFact['by'], (name: string) => string>> = {
  check: (name) => `the rule ${name}`,
  domain: (name) => `the type of ${name}`,
  generated: (name) => `the generated field ${name}`,
  index: (name) => `the index ${name}`,
  trigger: (name) => `the trigger ${name}`,
  partition: (name) => `the key of the partitions of ${name}`,
};

/** A call that is refused, and what a statement leaves alone that does not make it; null where each makes it. */
interface Refused {
  function: number;
  reason: string;
  without: string | null;
}

/** Decides about what a table itself calls when it is written: PostgreSQL asks whether the role may execute that, whoever owns the table. */
export class WriteCalls {
  readonly #rights: Rights;
  readonly #heirs: Heirs;
  readonly #calls: ReadonlyMap<number, readonly WriteFunctionFact[]>;

  constructor(facts: WriteFunctionFacts, rights: Rights, heirs: Heirs) {
    this.#rights = rights;
    this.#heirs = heirs;
    this.#calls = groupBy(facts.write_functions, ({ relation }) => relation);
  }

  /** The decision with what that adds to it; `role` is who calls, also where it is a view that writes with its owner's rights. */
  decide(
    decision: Decision,
    role: number,
    relation: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
  ): Decision {
    const calls = this.#refused(role, relation, relation, operation);
    const anyway = calls.find(({ without }) => without === null);
    if (anyway) return { ...refuse(anyway.reason), policies: decision.policies };
    const limited = calls.reduce((one, { without, reason }) => limit(one, without ?? '', reason), decision);
    return this.#ofHeirs(limited, role, relation, operation, calls);
  }

  /** What partitions and heirs call beside what the table itself does. */
  #ofHeirs(
    decision: Decision,
    role: number,
    relation: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
    own: readonly Refused[],
  ): Decision {
    if (this.#calls.size === 0) return decision;
    const refused = this.#heirs.of(relation, operation).flatMap((heir) =>
      this.#refused(role, heir, relation, operation)
        .filter((call) => !own.some((one) => one.function === call.function))
        .map((call) => ({ heir, call })),
    );
    const shut = refused.filter(({ call }) => call.without === null);
    const [first] = shut;
    const barred = [...new Set(shut.map(({ heir }) => heir))];
    if (first && this.#heirs.isAll(relation, barred)) {
      return { ...refuse(first.call.reason), policies: decision.policies };
    }
    const outside = first
      ? limit(decision, `only rows outside ${barred.map(display).join(', ')}`, first.call.reason, 'table')
      : decision;
    return refused
      .filter(({ heir }) => !barred.includes(heir))
      .reduce(
        (one, { heir, call }) => limit(one, `of rows in ${display(heir)} ${call.without}`, call.reason, 'table'),
        outside,
      );
  }

  /** The calls of a table that are refused; `root` has its fields, where it is a partition. */
  #refused(
    role: number,
    table: RelationFact,
    root: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
  ): Refused[] {
    return (this.#calls.get(table.oid) ?? []).flatMap((call) => {
      const [routine] =
        (call.events & eventBit[operation]) === 0 ? [] : this.#rights.refusedFunctions(role, [call.function]);
      if (routine === undefined) return [];
      const reason = `${parts[call.by](call.name)} calls ${routine}(), which the role may not execute (42501)`;
      return [{ function: call.function, reason, without: this.#without(table, root, operation, call) }];
    });
  }

  #without(
    table: RelationFact,
    root: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
    { by, name, fields, within }: WriteFunctionFact,
  ): string | null {
    if (operation === 'insert') return within ? `without a value of ${name}` : null;
    if (operation === 'delete') return null;
    // An update makes an entry in every index unless it changes nothing that one of them holds and finds room beside the old row.
    if (by === 'index') return `without a new entry in the index ${name}`;
    if (fields.length === 0) return null;
    const { fieldsOf } = this.#rights;
    const named = (fieldsOf.get(table.oid) ?? fieldsOf.get(root.oid) ?? []).filter(({ number }) =>
      fields.includes(number),
    );
    return `without a change of ${named.map((field) => field.name).join(', ')}`;
  }
}
