import type { RelationFact } from '../../catalog/entities.ts';
import type { WriteFunctionFact, WriteFunctionFacts } from '../../catalog/write-functions.ts';
import { groupBy } from '../group.ts';
import { type Decision, limit, refuse } from './decision.ts';
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

/** Decides about what a table itself calls when it is written: PostgreSQL asks whether the role may execute that, whoever owns the table. */
export class WriteCalls {
  readonly #rights: Rights;
  readonly #calls: ReadonlyMap<number, readonly WriteFunctionFact[]>;

  constructor(facts: WriteFunctionFacts, rights: Rights) {
    this.#rights = rights;
    this.#calls = groupBy(facts.write_functions, ({ relation }) => relation);
  }

  /** The decision with what that adds to it; `role` is who calls, also where it is a view that writes with its owner's rights. */
  decide(
    decision: Decision,
    role: number,
    relation: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
  ): Decision {
    const calls = (this.#calls.get(relation.oid) ?? []).flatMap((call) => {
      const [routine] =
        (call.events & eventBit[operation]) === 0 ? [] : this.#rights.refusedFunctions(role, [call.function]);
      if (routine === undefined) return [];
      const reason = `${parts[call.by](call.name)} calls ${routine}(), which the role may not execute (42501)`;
      return [{ reason, without: operation === 'update' ? this.#without(relation, call) : null }];
    });
    const anyway = calls.find(({ without }) => without === null);
    if (anyway) return { ...refuse(anyway.reason), policies: decision.policies };
    return calls.reduce((limited, { without, reason }) => limit(limited, without ?? '', reason), decision);
  }

  /** What an update leaves alone that does not call the function; null where each calls it. */
  #without(relation: RelationFact, { by, name, fields }: WriteFunctionFact): string | null {
    // An update makes an entry in every index unless it changes nothing that one of them holds and finds room beside the old row.
    if (by === 'index') return `without a new entry in the index ${name}`;
    if (fields.length === 0) return null;
    const named = (this.#rights.fieldsOf.get(relation.oid) ?? []).filter(({ number }) => fields.includes(number));
    return `without a change of ${named.map((field) => field.name).join(', ')}`;
  }
}
