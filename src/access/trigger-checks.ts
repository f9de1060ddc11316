import type { RelationFact, TriggerFact } from '../catalog/entities.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { certainRaise } from '../sql-reader/body/certain.ts';
import { skipsRows } from '../sql-reader/body/writes.ts';
import type { CallingRole } from './calling-roles.ts';
import { addCondition, type Decision, denied, display, noRows, refusal } from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import type { PolicyCalls } from './policy-calls.ts';

type Calls = Pick<PolicyCalls, 'lacking'>;

/** Bits of pg_trigger.tgtype. */
const ROW = 1;
const BEFORE = 2;
const eventBit = { insert: 4, delete: 8, update: 16 } as const;

/**
 * Decides about the triggers, checks and generated fields of a table: privileges that their functions need and the
 * caller lacks, and rows that triggers leave out. These functions run with the privileges of the caller, whoever owns
 * the table.
 */
export class TriggerChecks {
  readonly #calls: Calls;
  readonly #look: AccessLookup;
  /** The expressions that PostgreSQL evaluates for each row that it writes, with the functions that they call. */
  readonly #expressions = new Map<number, readonly { what: string; routines: readonly RoutineFact[] }[]>();

  constructor(look: AccessLookup, calls: Calls) {
    this.#look = look;
    this.#calls = calls;
  }

  /** Returns the decision with the conditions that triggers, checks and generated fields add. */
  decide(
    decision: Decision,
    caller: CallingRole,
    relation: RelationFact,
    operation: Exclude<RowOperation, 'select'>,
  ): Decision {
    const start = operation === 'delete' ? decision : this.#ofExpressions(decision, caller, relation);
    const triggers = (this.#look.triggers.get(relation.oid) ?? []).filter(({ enabled }) => enabled);
    return triggers.reduce((limited, trigger) => {
      const routine = this.#look.shared.routines.get(trigger.function);
      const runs = (trigger.events & eventBit[operation]) !== 0;
      if (!routine || !runs || limited.verdict === 'never') return limited;
      return this.#ofTrigger(limited, caller, operation, { trigger, routine, relation });
    }, start);
  }

  /** Adds the privileges that the functions of checks and generated fields need and the caller lacks. */
  #ofExpressions(decision: Decision, caller: CallingRole, relation: RelationFact): Decision {
    return this.#expressionsOf(relation).reduce((limited, { what, routines }) => {
      const lacks = routines.flatMap((routine) => this.#calls.lacking(caller, routine) ?? []);
      return lacks.reduce((one, { does, reason }) => {
        if (one.verdict === 'never') return one;
        return addCondition(one, `as long as ${what} does not ${does}`, `${what} calls a function: ${reason}`, 'code');
      }, limited);
    }, decision);
  }

  #expressionsOf({ oid }: RelationFact) {
    return this.#look.recorder.within(oid, () => {
      const expressions = this.#expressions.get(oid) ?? this.#expressionsAfresh(oid);
      this.#expressions.set(oid, expressions);
      return expressions;
    });
  }

  #expressionsAfresh(oid: number) {
    const checks = (this.#look.constraints.get(oid) ?? []).filter(({ kind, enforced }) => kind === 'c' && enforced);
    const generated = (this.#look.fields.get(oid) ?? []).filter((field) => field.generated === 's');
    return [
      ...checks.map(({ name, functions }) => ({ what: `the rule ${name}`, functions })),
      ...generated.map(({ name, needs }) => ({ what: `the generated field ${name}`, functions: needs?.functions })),
    ].flatMap(({ what, functions }) => {
      const routines = (functions ?? []).flatMap((oid) => this.#look.shared.routines.get(oid) ?? []);
      return routines.length === 0 ? [] : [{ what, routines }];
    });
  }

  #ofTrigger(
    decision: Decision,
    caller: CallingRole,
    operation: Exclude<RowOperation, 'select'>,
    { trigger, routine, relation }: { trigger: TriggerFact; routine: RoutineFact; relation: RelationFact },
  ): Decision {
    const { name, events } = trigger;
    const isSure = firesForAll(trigger, relation);
    const lack = this.#calls.lacking(caller, routine);
    if (lack) {
      const reason = `the trigger ${name} runs ${idOf(routine)}: ${lack.reason}`;
      if (lack.isCertain && isSure)
        return { ...denied(reason, lack.code), untried: 'code', policies: decision.policies };
      return addCondition(decision, `as long as the trigger ${name} does not ${lack.does}`, reason, 'code');
    }
    const raised = routine.language === 'plpgsql' ? certainRaise(routine.body) : null;
    if (raised?.sqlstate && isSure) {
      const message = raised.message === null ? '' : `: ${raised.message}`;
      const refused = refusal(`the trigger ${name} raises an error for every row${message}`, raised.sqlstate);
      return { ...denied(refused), untried: 'code', policies: decision.policies };
    }
    const isBeforeRow = (events & ROW) !== 0 && (events & BEFORE) !== 0;
    const skips = isBeforeRow && routine.language === 'plpgsql' ? skipsRows(routine.body, operation) : 'never';
    if (skips === 'never') return decision;
    if (skips === 'always' && isSure && this.#look.shared.writing.of(routine) === undefined) {
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
