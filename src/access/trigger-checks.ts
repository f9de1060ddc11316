import type { RelationFact, TriggerFact } from '../catalog/entities.ts';
import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { type TriggerEffects, triggerEffects } from '../sql-reader/body/trigger.ts';
import type { CallingRole } from './calling-roles.ts';
import { addCondition, addErrors, type Decision, denied, noRows, refusal } from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import { triggerBit, type WriteOperation } from './operations.ts';
import type { PolicyCalls } from './policy-calls.ts';

type Calls = Pick<PolicyCalls, 'lacking'>;

/**
 * Decides about the triggers, checks and generated fields of a table: privileges that their functions need and the
 * caller lacks, errors that triggers raise, and rows that they leave out. These functions run with the privileges of
 * the caller, regardless of the owner of the table.
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
  decide(decision: Decision, caller: CallingRole, relation: RelationFact, operation: WriteOperation): Decision {
    const start = operation === 'delete' ? decision : this.#ofExpressions(decision, caller, relation);
    const triggers = (this.#look.triggers.get(relation.oid) ?? []).filter(({ enabled }) => enabled);
    return triggers.reduce((limited, trigger) => {
      const routine = this.#look.shared.routines.get(trigger.function);
      const runs = (trigger.events & triggerBit[operation]) !== 0;
      if (!routine || !runs || limited.verdict === 'never') return limited;
      const isSure = this.#firesForAll(trigger, relation, operation);
      const effects = this.#effectsOf(trigger, routine, operation);
      return this.#ofTrigger(limited, caller, { trigger, routine, isSure, effects });
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

  #ofTrigger(decision: Decision, caller: CallingRole, { trigger, routine, isSure, effects }: RunTrigger): Decision {
    const { name } = trigger;
    const lack = this.#calls.lacking(caller, routine);
    if (lack) {
      const reason = `the trigger ${name} runs ${idOf(routine)}: ${lack.reason}`;
      if (lack.isCertain && isSure)
        return { ...denied(reason, lack.code), untried: 'code', policies: decision.policies };
      return addCondition(decision, `as long as the trigger ${name} does not ${lack.does}`, reason, 'code');
    }
    const { always, sometimes, skips } = effects;
    if (always?.sqlstate && isSure) {
      const message = always.message === null ? '' : `: ${always.message}`;
      const refused = refusal(`the trigger ${name} raises an error for every row${message}`, always.sqlstate);
      return { ...denied(refused), untried: 'code', policies: decision.policies };
    }
    const raising = addErrors(decision, `the trigger ${name}`, always ? [always] : sometimes);
    if (skips === 'never') return raising;
    if (skips === 'always' && isSure && this.#look.shared.code.writes(routine) === undefined) {
      const none = noRows(`the trigger ${name} leaves out every row, because ${idOf(routine)} returns NULL`);
      return { ...none, policies: decision.policies };
    }
    const reason = `the trigger ${name} leaves out rows for which ${idOf(routine)} returns NULL`;
    return addCondition(raising, `as the trigger ${name} allows`, reason, 'code');
  }

  /** Returns the errors of the trigger function, and whether it skips rows. */
  #effectsOf({ events }: TriggerFact, routine: RoutineFact, operation: WriteOperation): TriggerEffects {
    // Chapter 4 describes the errors of state machines.
    if (routine.language !== 'plpgsql' || routine.schema === 'ninefold') return noEffects;
    const effects = triggerEffects(routine.body, operation);
    const sometimes = [...effects.sometimes, ...this.#look.shared.code.raisesOfCalls(routine)];
    const isBeforeRow = (events & triggerBit.row) !== 0 && (events & triggerBit.before) !== 0;
    return { ...effects, sometimes, skips: isBeforeRow ? effects.skips : 'never' };
  }

  /**
   * Returns true if the trigger fires for every row that the operation writes: it has no WHEN and no list of fields, and
   * each partition and inheritance child has it.
   */
  #firesForAll(
    { events, conditional, fields, on_partition }: TriggerFact,
    { oid, kind }: RelationFact,
    operation: WriteOperation,
  ): boolean {
    if (conditional || on_partition || (operation === 'update' && fields.length > 0)) return false;
    const isRow = (events & triggerBit.row) !== 0;
    return !isRow || kind === 'p' || operation === 'insert' || this.#look.children.get(oid) === undefined;
  }
}

/** A trigger that fires for an operation, with its function. */
interface RunTrigger {
  trigger: TriggerFact;
  routine: RoutineFact;
  /** True if the trigger fires for every row that the operation writes. */
  isSure: boolean;
  effects: TriggerEffects;
}

const noEffects: TriggerEffects = { always: null, sometimes: [], skips: 'never' };
