import { functionsNamed } from '../../contract/reached-functions.ts';
import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import { idOf, sqlName } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { relationsRead } from '../sql-reader/condition.ts';
import type { CallingRole } from './calling-roles.ts';
import { type Decision, display } from './decision.ts';
import type { Lookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import { functionsCalled } from './policies.ts';
import { runsAs } from './setting-effects.ts';

/** A function of a policy that fails for every row, and the reason. */
export interface FailingCall {
  routine: string;
  reason: string;
  /**
   * True if PostgreSQL checks the function before it reads a row, because PostgreSQL inlines the code into the
   * statement.
   */
  always: boolean;
  /**
   * Returns a condition with `false` in place of the call. If the result cannot be true, the condition is true for no
   * row.
   */
  without(condition: string): string;
}

/**
 * Finds the privileges that the code of policy functions needs and the caller lacks. PostgreSQL checks the privileges
 * of a query before it runs. So code that is a single query fails for every row. In longer PL/pgSQL code, the order of
 * the statements decides.
 */
export class PolicyCalls {
  readonly #look: Lookup;
  readonly #routines: ReadonlyMap<number, RoutineFact>;
  readonly #codes: readonly { id: string; body: string }[];
  readonly #byId: ReadonlyMap<string, RoutineFact>;
  readonly #reads: (caller: CallingRole, relation: RelationFact) => Decision;

  /** @param reads Decides whether the caller may read some field of a relation. */
  constructor(look: Lookup, reads: (caller: CallingRole, relation: RelationFact) => Decision) {
    this.#look = look;
    this.#reads = reads;
    const { routines } = look.facts;
    this.#routines = new Map(routines.map((routine) => [routine.oid, routine]));
    this.#codes = routines.map((routine) => ({ id: idOf(routine), body: routine.body }));
    this.#byId = new Map(routines.map((routine) => [idOf(routine), routine]));
  }

  /** Returns the first failing call of the policies that apply to an operation; null if no call certainly fails. */
  failing(caller: CallingRole, policies: readonly PolicyFact[], operation: RowOperation): FailingCall | null {
    for (const oid of functionsCalled(policies, operation)) {
      const routine = this.#routines.get(oid);
      const reason = routine ? this.#refusal(caller, routine, new Set()) : null;
      if (!routine || reason === null) continue;
      return { routine: idOf(routine), reason, always: isInlined(routine), without: callRemover(routine) };
    }
    return null;
  }

  /**
   * Returns the reason why every call of a function fails because of the privileges that its code needs. Returns null
   * if a call may succeed, which includes all functions with arguments: PostgreSQL skips calls of strict functions with
   * NULL.
   */
  refused(caller: CallingRole, routine: RoutineFact): { reason: string; always: boolean } | null {
    const isTold = routine.inputs.length === 0 && isQuery(routine.body);
    const reason = isTold ? this.#refusal(caller, routine, new Set()) : null;
    return reason === null ? null : { reason, always: this.#isPlanned(routine) };
  }

  /** Returns true if PostgreSQL certainly inlines a call that stands alone (clauses.c, inline_function). */
  #isPlanned(routine: RoutineFact): boolean {
    if (!isInlined(routine) || routine.returns_set || routine.result.startsWith('record')) return false;
    if (routine.volatility === 'v') return true;
    const named = functionsNamed(this.#codes, routine.body).flatMap((id) => this.#byId.get(id) ?? []);
    return named.every(({ volatility }) => volatility === 'i' || volatility === routine.volatility);
  }

  #refusal(caller: CallingRole, routine: RoutineFact, asked: Set<RoutineFact>): string | null {
    const code = queryOf(routine);
    if (code === null || asked.has(routine) || runsAs(this.#look.facts, routine) !== null) return null;
    asked.add(routine);
    const named = functionsNamed(this.#codes, code).flatMap((id) => this.#byId.get(id) ?? []);
    for (const [, [first, ...others]] of groupBy(named, ({ name }) => name)) {
      if (!first) continue;
      if ([first, ...others].every((one) => !this.#look.privileges.mayExecute(caller.oid, one))) {
        return `${idOf(routine)} calls ${first.schema}.${first.name}(), which the role may not execute (42501)`;
      }
      const inner = others.length === 0 ? this.#refusal(caller, first, asked) : null;
      if (inner !== null) return inner;
    }
    for (const [schema, name] of isQuery(code) ? relationsRead(code) : []) {
      const relation = this.#look.named(schema, name);
      if (relation && this.#reads(caller, relation).refused) {
        return `${idOf(routine)} reads ${display(relation)}, which the role may not (42501)`;
      }
    }
    return null;
  }
}

/** The code of a function in SQL, or the one expression that a function in PL/pgSQL returns; null for other code. */
function queryOf({ language, body }: RoutineFact): string | null {
  if (language === 'sql') return body;
  return (language === 'plpgsql' && /^\s*begin\s+return\s([^;]*);\s*end\s*;?\s*$/i.exec(body)?.[1]) || null;
}

/** Returns true if the code contains no statement that writes. */
const isQuery = (body: string): boolean => !/\b(?:insert|update|delete|merge|truncate)\b/i.test(body);

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
