import type { RelationFact, TriggerFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { skipsRows } from '../sql-reader/body/writes.ts';
import type { CallingRole } from './calling-roles.ts';
import { addCondition, type Decision, denied, display, noRows } from './decision.ts';
import type { Lookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import type { Lack } from './policy-calls.ts';
import { Writing } from './writing.ts';

/** Bits of pg_trigger.tgtype. */
const ROW = 1;
const BEFORE = 2;
const eventBit = { insert: 4, delete: 8, update: 16 } as const;

/**
 * Decides about the triggers of a table: privileges that their functions need and the caller lacks, and rows that they
 * leave out. A function of a trigger runs with the privileges of the caller, whoever owns the table.
 */
export class TriggerChecks {
  readonly #triggers: ReadonlyMap<number, readonly TriggerFact[]>;
  readonly #routines: ReadonlyMap<number, RoutineFact>;
  readonly #lacking: (caller: CallingRole, routine: RoutineFact) => Lack | null;
  readonly #writing: Writing;

  /** @param lacking Returns a privilege that the code of a function needs and the caller lacks. */
  constructor({ facts }: Lookup, lacking: (caller: CallingRole, routine: RoutineFact) => Lack | null) {
    this.#triggers = groupBy(
      facts.triggers.filter(({ enabled }) => enabled),
      ({ relation }) => relation,
    );
    this.#routines = new Map(facts.routines.map((routine) => [routine.oid, routine]));
    this.#lacking = lacking;
    this.#writing = new Writing(facts.routines);
  }

  /** Returns the decision with the conditions that the triggers add. */
  decide(
    decision: Decision,
    caller: CallingRole,
    relation: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
  ): Decision {
    return (this.#triggers.get(relation.oid) ?? []).reduce((limited, trigger) => {
      const routine = this.#routines.get(trigger.function);
      const runs = (trigger.events & eventBit[operation]) !== 0;
      if (!routine || !runs || limited.verdict === 'never') return limited;
      return this.#ofTrigger(limited, caller, operation, { trigger, routine, relation });
    }, decision);
  }

  #ofTrigger(
    decision: Decision,
    caller: CallingRole,
    operation: Exclude<RowOperation, 'select'>,
    { trigger, routine, relation }: { trigger: TriggerFact; routine: RoutineFact; relation: RelationFact },
  ): Decision {
    const { name, events } = trigger;
    const isSure = firesForAll(trigger, relation);
    const lack = this.#lacking(caller, routine);
    if (lack) {
      const reason = `the trigger ${name} runs ${idOf(routine)}: ${lack.reason}`;
      if (lack.isCertain && isSure)
        return { ...denied(reason, lack.code), untried: 'code', policies: decision.policies };
      return addCondition(decision, `as long as the trigger ${name} does not ${lack.does}`, reason, 'code');
    }
    const isBeforeRow = (events & ROW) !== 0 && (events & BEFORE) !== 0;
    const skips = isBeforeRow && routine.language === 'plpgsql' ? skipsRows(routine.body, operation) : 'never';
    if (skips === 'never') return decision;
    if (skips === 'always' && isSure && this.#writing.of(routine) === undefined) {
      const none = noRows(`the trigger ${name} leaves out every row, because ${idOf(routine)} returns NULL`);
      return { ...none, policies: decision.policies };
    }
    const reason = `the trigger ${name} leaves out rows for which ${idOf(routine)} returns NULL`;
    return addCondition(decision, `as the trigger ${name} allows`, reason, 'code');
  }
}

/** Returns true if the trigger fires for every row: it has no WHEN and no list of fields, and is not on a partition. */
function firesForAll({ sql }: TriggerFact, relation: RelationFact): boolean {
  const plain = sql.replace(/"(?:[^"]|"")*"/g, 'name');
  const isOnPartition = relation.kind === 'p' && !sql.includes(` ON ${display(relation)} `);
  return !isOnPartition && !/ WHEN \(| UPDATE OF /.test(plain);
}
