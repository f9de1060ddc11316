import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import { idOf, sqlName } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import type { DefinitionKind } from '../sql-reader/body/definitions.ts';
import type { Use } from '../sql-reader/body/uses.ts';
import { runsDynamicSql, writesInStatements } from '../sql-reader/body/writes.ts';
import type { CallingRole } from './calling-roles.ts';
import { addCondition, addErrors, always, type Decision, denied, display, refusal } from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import { functionsCalled } from './policies.ts';
import { INSUFFICIENT_PRIVILEGE } from './refusals.ts';
import { runsAs } from './setting-effects.ts';

/** A function of a policy that fails for every row, and the reason. */
export interface FailingCall {
  routine: string;
  reason: string;
  code: string;
  /**
   * True if the statement fails even when it reads no row, because PostgreSQL inlines the function's code into the
   * statement.
   */
  always: boolean;
  /**
   * Returns a condition with `false` in place of the call. If the result cannot be true, the condition is true for no
   * row.
   */
  without(condition: string): string;
}

type RowSecurityOf = (
  caller: CallingRole,
  relation: RelationFact,
  operation: RowOperation,
) => { bound: boolean; checks: boolean };

type DecideUse = (caller: CallingRole, relation: RelationFact, operation: RowOperation) => Decision;

/** A privilege that the code of a function needs but that the caller does not have. */
export interface Lack {
  /** The use that needs the privilege, as an infinitive: "read public.secrets". */
  does: string;
  reason: string;
  code: string;
  /** True if every call of the function fails. False if a call fails only when it reaches the use. */
  isCertain: boolean;
  /**
   * True if PostgreSQL checks the missing privilege only when the function runs. A statement that reaches no row then
   * succeeds.
   */
  isRun?: true;
}

/**
 * Finds the privileges that the code of functions needs but that the caller does not have. PostgreSQL checks the
 * privileges of a statement before it reads a row. If every call of a function reaches such a statement, every call
 * fails.
 */
export class PolicyCalls {
  readonly #look: AccessLookup;
  readonly #decide: DecideUse;
  readonly #rowSecurity: RowSecurityOf;

  /**
   * @param decide Decides whether the caller may read some field of a relation, or write to it.
   * @param rowSecurity Returns whether row-level security limits the rows, and whether it checks written rows.
   */
  constructor(look: AccessLookup, decide: DecideUse, rowSecurity: RowSecurityOf) {
    this.#look = look;
    this.#decide = decide;
    this.#rowSecurity = rowSecurity;
  }

  /** Returns the first failing call of the policies that apply to an operation; null if no call certainly fails. */
  failing(caller: CallingRole, policies: readonly PolicyFact[], operation: RowOperation): FailingCall | null {
    for (const oid of functionsCalled(policies, operation)) {
      const routine = this.#look.shared.routines.get(oid);
      const lack = routine ? this.lacking(caller, routine) : null;
      if (!routine || !lack?.isCertain) continue;
      return {
        routine: idOf(routine),
        reason: lack.reason,
        code: lack.code,
        always: isInlined(routine) && !lack.isRun,
        without: callRemover(routine),
      };
    }
    return null;
  }

  /** Decides about a call of a function that the caller may execute, by the code of the function. */
  decide(caller: CallingRole, routine: RoutineFact): Decision {
    return addErrors(this.#decideByPrivileges(caller, routine), 'its code', this.#look.shared.code.raises(routine));
  }

  #decideByPrivileges(caller: CallingRole, routine: RoutineFact): Decision {
    const runs = always(this.#rightsOf(routine));
    if (routine.security_definer) return runs;
    const lack = this.#lacking(caller, routine, new Set());
    const hasInputs = routine.inputs.length > 0;
    // A strict function with arguments may succeed: PostgreSQL does not run its code if an argument is null.
    if (lack?.isCertain && !(routine.strict && hasInputs)) {
      return {
        ...denied(lack.reason, lack.code),
        untried: !hasInputs && !lack.isRun && this.#isPlanned(routine) ? null : 'code',
      };
    }
    if (lack) return addCondition(runs, `as long as its code does not ${lack.does}`, lack.reason, 'code');
    if (routine.language !== 'plpgsql' || !runsDynamicSql(routine.body)) return runs;
    const reason = `${idOf(routine)} builds SQL when it runs`;
    return addCondition(runs, 'as the SQL that its code builds allows', reason, 'code');
  }

  #rightsOf(routine: RoutineFact): string {
    const role = runsAs(this.#look.facts, routine);
    if (role === null) return 'runs with the rights of the caller';
    if (!routine.security_definer) return `runs with the rights of ${role}, which its setting role names`;
    const isSuperuser = this.#look.privileges.membership.role(routine.owner)?.superuser === true;
    return `runs with the rights of its owner${isSuperuser ? ', a superuser: with all rights' : ''}`;
  }

  /**
   * Returns the first privilege that the code of a function needs but that the caller does not have. Prefers a
   * privilege that every call needs. Returns null if the code shows no such privilege.
   */
  lacking(caller: CallingRole, routine: RoutineFact): Lack | null {
    return this.#lackingWithin(caller, routine, new Set());
  }

  /**
   * Returns the first missing privilege of a function that another statement calls. If the function is declared STABLE
   * or IMMUTABLE, a write in its code counts as missing too.
   */
  #lackingWithin(caller: CallingRole, routine: RoutineFact, asked: Set<RoutineFact>): Lack | null {
    const lack = this.#lacking(caller, routine, asked);
    const writes = routine.volatility === 'v' ? 'never' : writesInStatements(routine.language, routine.body);
    if (writes === 'never' || lack?.isCertain) return lack;
    const refused = refusal(`${idOf(routine)} writes and is not declared VOLATILE`, '0A000');
    return { does: 'write', ...refused, isCertain: writes === 'always', isRun: true };
  }

  /**
   * Returns true if PostgreSQL certainly inlines a call that is not part of a larger expression (clauses.c,
   * inline_function).
   */
  #isPlanned(routine: RoutineFact): boolean {
    if (!isInlined(routine) || routine.returns_set || routine.result.startsWith('record')) return false;
    if (routine.volatility === 'v') return true;
    const named = this.#look.shared.code.namedIn(routine.body);
    return named.every(({ volatility }) => volatility === 'i' || volatility === routine.volatility);
  }

  #lacking(caller: CallingRole, routine: RoutineFact, asked: Set<RoutineFact>): Lack | null {
    const isRead = routine.language === 'sql' || routine.language === 'plpgsql';
    const runner = this.#runnerOf(caller, routine);
    if (!isRead || !runner || asked.has(routine)) return null;
    asked.add(routine);
    const lacks = this.#look.shared.code.uses(routine).flatMap((use) => {
      if (use.kind === 'call') return this.#ofCall(runner, routine, use, asked);
      if (use.kind === 'sequence') return this.#ofSequence(runner, routine, use);
      if (use.kind in definitions) return this.#ofDefinition(runner, routine, use, use.kind as DefinitionKind);
      return this.#ofRelation(runner, routine, use, use.kind as RowOperation);
    });
    return lacks.find((lack) => lack.isCertain) ?? lacks[0] ?? null;
  }

  /** Returns the caller with the role that the function sets; null for a function with the rights of its owner. */
  #runnerOf(caller: CallingRole, routine: RoutineFact): CallingRole | null {
    const name = routine.security_definer ? null : runsAs(this.#look.facts, routine);
    if (name === null) return routine.security_definer ? null : caller;
    const role = this.#look.facts.roles.find((one) => one.name === name);
    return role ? { ...caller, oid: role.oid, name } : null;
  }

  #ofRelation(caller: CallingRole, routine: RoutineFact, { schema, name, isCertain }: Use, kind: RowOperation): Lack[] {
    const relation = this.#look.shared.code.relation(this.#look, routine, schema, name);
    if (!relation) return [];
    const [needs, does] = verbs[kind];
    const lack = (why: string, isSure: boolean, rows = '', code = INSUFFICIENT_PRIVILEGE): Lack => ({
      does: `${needs} ${display(relation)}${rows}`,
      ...refusal(`${idOf(routine)} ${does} ${display(relation)}, ${why}`, code),
      isCertain: isSure,
    });
    const decision = this.#decide(caller, relation, kind);
    if (decision.code !== null) {
      // A trigger, and the check of an update, can fail only if the statement finds a row.
      const isOfRow = decision.untried === 'code' || (kind === 'update' && decision.policies.length > 0);
      return [lack('which the role may not', isCertain && !isOfRow, '', decision.code)];
    }
    // The failure is not certain: PostgreSQL checks USAGE on a schema only when it plans a statement, and the function
    // may reuse a plan that was made for a role with USAGE.
    if (!this.#look.privileges.usesSchema(caller.oid, relation.schema))
      return [lack('whose schema the role may not use', false)];
    const { bound, checks } = this.#rowSecurity(caller, relation, kind);
    if (bound && routine.settings.includes('row_security=off')) {
      return [lack('which row-level security binds, and row_security is off', isCertain)];
    }
    const isChecked = decision.verdict === 'when' && checks;
    return isChecked ? [lack('whose policies may refuse the row', false, ' that its policies refuse')] : [];
  }

  /** Returns the missing privilege of a statement that defines, empties or refreshes a relation. */
  #ofDefinition({ oid }: CallingRole, routine: RoutineFact, use: Use, kind: DefinitionKind): Lack[] {
    const { privileges, facts, shared } = this.#look;
    const lack = (what: string): Lack[] => {
      const [needs, does] = definitions[kind];
      const refused = refusal(`${idOf(routine)} ${does} ${what}, which the role may not`);
      return [{ does: `${needs} ${what}`, ...refused, isCertain: use.isCertain, isRun: true }];
    };
    if (kind === 'temporary') {
      return privileges.holds(oid, facts.database.grants, 'TEMPORARY') ? [] : lack(`temporary table ${use.name}`);
    }
    if (kind === 'create') {
      const schema = use.schema ?? shared.code.searchPath(routine)[0];
      const isOpen = schema === undefined || !privileges.hasSchema(schema) || privileges.createsIn(oid, schema);
      return isOpen ? [] : lack(`${schema}.${use.name}`);
    }
    const relation = this.#look.shared.code.relation(this.#look, routine, use.schema, use.name);
    if (!relation) return [];
    const isOpen = kind === 'own' ? privileges.owns(oid, relation) : privileges.defines(oid, relation, kind);
    return isOpen ? [] : lack(display(relation));
  }

  #ofSequence({ oid }: CallingRole, routine: RoutineFact, { schema, name, isCertain, isAlone }: Use): Lack[] {
    const schemas = schema === null ? this.#look.shared.code.searchPath(routine) : [schema];
    if (!schemas.some((one) => this.#look.privileges.refusesSequence(oid, one, name))) return [];
    const sequence = schema === null ? name : `${schema}.${name}`;
    const refused = refusal(`${idOf(routine)} takes numbers from ${sequence}, which the role may not`);
    return [{ does: `take numbers from ${sequence}`, ...refused, isCertain: isCertain && isAlone, isRun: true }];
  }

  #ofCall(caller: CallingRole, routine: RoutineFact, use: Use, asked: Set<RoutineFact>): Lack[] {
    const [first, ...others] = this.#look.shared.code.called(use.schema, use.name);
    if (!first) return this.#ofBuiltIn(caller, routine, use);
    const called = `${first.schema}.${first.name}()`;
    const all = [first, ...others];
    if (all.every((one) => !this.#look.privileges.mayExecute(caller.oid, one))) {
      const refused = refusal(`${idOf(routine)} calls ${called}, which the role may not execute`);
      // If the caller lacks EXECUTE on all functions of this name, the call certainly fails. If it lacks only USAGE on
      // the schema, the failure is not certain: PostgreSQL checks USAGE when it plans a statement, and the function may
      // reuse a plan that was made for another role.
      const isRefused = all.every(({ grants }) => !this.#look.privileges.holds(caller.oid, grants, 'EXECUTE'));
      return [{ does: `call ${called}`, ...refused, isCertain: use.isCertain && isRefused }];
    }
    const inner = others.length === 0 ? this.#lackingWithin(caller, first, asked) : null;
    // A call of a strict function does not certainly fail, because PostgreSQL does not run the function if an argument
    // is null.
    const isSkipped = first.strict && first.inputs.length > 0;
    return inner ? [{ ...inner, isCertain: inner.isCertain && use.isCertain && use.isAlone && !isSkipped }] : [];
  }

  /**
   * Returns the missing privilege if the role may not execute a called function of PostgreSQL or an extension. The
   * result is never certain, because the call may select an overload that the role may execute.
   */
  #ofBuiltIn({ oid }: CallingRole, routine: RoutineFact, { schema, name }: Use): Lack[] {
    const called = `${schema ?? 'pg_catalog'}.${name}`;
    if (!this.#look.privileges.refusesNamed(oid, called)) return [];
    const refused = refusal(`${idOf(routine)} calls ${called}(), which the role may not execute`);
    return [{ does: `call ${called}()`, ...refused, isCertain: false }];
  }
}

const verbs = {
  select: ['read', 'reads'],
  insert: ['add rows to', 'adds rows to'],
  update: ['change rows of', 'changes rows of'],
  delete: ['delete rows of', 'deletes rows of'],
} as const;

const definitions: Readonly<Record<DefinitionKind, readonly [string, string]>> = {
  truncate: ['truncate', 'truncates'],
  maintain: ['refresh', 'refreshes'],
  own: ['redefine', 'redefines'],
  create: ['create', 'creates'],
  temporary: ['create', 'creates'],
};

/**
 * Returns true if PostgreSQL inlines the code of the function: a single SQL expression (clauses.c, inline_function).
 */
const isInlined = ({ language, settings, body }: RoutineFact): boolean =>
  language === 'sql' && settings.length === 0 && !/\b(?:from|with|values)\b|;\s*\S/i.test(body);

/**
 * Returns a function that replaces the calls in a condition as PostgreSQL prints them: without brackets in the
 * arguments, alone or as a subquery.
 */
function callRemover({ schema, name }: RoutineFact): (condition: string) => string {
  const call = `${escaped(sqlName(schema))}\\.${escaped(sqlName(name))}\\([^()]*\\)`;
  const calls = new RegExp(`\\( SELECT ${call} AS \\S+?\\)|(?<![\\w."])${call}`, 'g');
  return (condition) => condition.replace(calls, 'false');
}

const escaped = (text: string): string => text.replace(/[$.*+?^{}()|[\]\\]/g, '\\$&');
