import type { PolicyFact } from '../catalog/access.ts';
import type { FieldFact, RelationFact } from '../catalog/entities.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { WHOLE_ROW } from '../catalog/sql-fragments.ts';
import type { Expression } from '../sql-reader/tree.ts';
import type { CallingRole } from './calling-roles.ts';
import { ChildTables } from './child-tables.ts';
import {
  addCondition,
  always,
  conditional,
  type Decision,
  denied,
  display,
  missingValue,
  namesOf,
  noRows,
  quoted,
  type Refusal,
  refusal,
} from './decision.ts';
import { named } from './fact-indexes.ts';
import type { AccessLookup } from './lookup.ts';
import { privilegeOf, type RowOperation, type WriteOperation, writeBit } from './operations.ts';
import { anyone, type Caller, outcomes, TRUE } from './outcomes.ts';
import { functionsCalled, Policies, type RowSecurity, relationsRead } from './policies.ts';
import { PolicyCalls } from './policy-calls.ts';
import { PolicyGraph } from './policy-graph.ts';
import { isSettable, type Privileges } from './privileges.ts';
import { PublicationChecks } from './publication-checks.ts';
import { refusedByRules } from './rewrite-rules.ts';
import { RowLocks } from './row-locks.ts';
import { TriggerChecks } from './trigger-checks.ts';
import { holdsNothing, ViewAccess } from './view-access.ts';
import { restrictTo, ViewFieldMap, type WritableFields } from './writable-fields.ts';
import { WriteFunctionChecks } from './write-function-checks.ts';

/** The additional conditions of an UPDATE or DELETE that reads fields, for a filter or to return rows. */
interface Reading {
  /** The reason why PostgreSQL refuses such a statement; null if it does not. */
  refused: string | null;
  /** Names of the fields that the statement may read; null if it may read all. */
  columns: string[] | null;
  /** The condition that the policies for SELECT set; null if row-level security does not limit the rows. */
  condition: Expression | null;
  policies: PolicyFact[];
}

/**
 * Decides from the catalog alone how PostgreSQL responds to an operation of a role. The verdict is `always` if
 * PostgreSQL refuses no statement on any row. The verdict is `never` if PostgreSQL refuses every statement or no
 * statement finds a row. Otherwise, the verdict is `when`, with the condition in words. A condition that cannot be
 * parsed counts as satisfiable. So `when` may be less exact than possible, but `always` and `never` are exact.
 */
export class Access {
  readonly privileges: Privileges;
  readonly policies: Policies;
  readonly #look: AccessLookup;
  readonly #views: ViewAccess;
  readonly #graph: PolicyGraph;
  readonly #writes: WriteFunctionChecks;
  readonly #publicationChecks: PublicationChecks;
  readonly #shown: ViewFieldMap;
  readonly #locks: RowLocks;
  readonly #calls: PolicyCalls;
  readonly #triggers: TriggerChecks;
  /** The decision for each key; null while the code is still making the decision. */
  readonly #decided = new Map<string, Decision | null>();

  constructor(look: AccessLookup) {
    this.#look = look;
    this.privileges = look.privileges;
    this.policies = new Policies(look);
    const childTables = new ChildTables(look);
    this.#writes = new WriteFunctionChecks(look, childTables);
    this.#publicationChecks = new PublicationChecks(look, childTables);
    this.#shown = new ViewFieldMap(look.facts, this.privileges);
    this.#views = new ViewAccess(look, this.#shown, this.#decideAs.bind(this));
    this.#graph = new PolicyGraph(this.policies, look);
    this.#locks = new RowLocks(look, this.policies);
    this.#calls = new PolicyCalls(
      look,
      (caller, relation, operation) =>
        this.#decideAs(caller, caller.oid, relation, operation, operation === 'select' ? [0] : null),
      (caller, relation, operation) => {
        const security = this.policies.rows(caller.oid, relation, operation);
        const isChecked = security.bound && security.policies.some(({ check }) => check !== null);
        return { bound: security.bound, checks: operation === 'insert' || (operation === 'update' && isChecked) };
      },
    );
    this.#triggers = new TriggerChecks(look, this.#calls);
  }

  /**
   * Decides for a statement that the role sends directly, not through a view or a policy. Checks USAGE on the schema
   * first.
   */
  decide(caller: CallingRole, relation: RelationFact, operation: RowOperation): Decision {
    if (!this.privileges.usesSchema(caller.oid, relation.schema))
      return denied(`no USAGE on schema ${relation.schema}`);
    if (operation === 'select' && this.#locks.reads(caller.oid, relation)) return denied(locked);
    if (operation === 'select' || operation === 'delete')
      return this.#decideAs(caller, caller.oid, relation, operation, null);
    const decision = this.#decideGiven(caller, relation, operation);
    return relation.kind === 'v' ? this.#views.withoutMade(decision, relation, operation) : decision;
  }

  /**
   * Decides for an INSERT or UPDATE with values. Calls name the type of each value, so the role also needs USAGE on the
   * schema of the type.
   */
  #decideGiven(caller: CallingRole, relation: RelationFact, operation: 'insert' | 'update'): Decision {
    const fields = (this.privileges.fieldsOf.get(relation.oid) ?? []).filter(
      (field) => isSettable(field) && !field.computed,
    );
    const [numbered] = fields;
    if (
      operation === 'update' &&
      relation.kind !== 'v' &&
      numbered &&
      fields.every(({ identity }) => identity === 'a')
    ) {
      return denied(refusal(`PostgreSQL numbers ${numbered.name}, and refuses a value for it`, '428C9'));
    }
    const isShut = ({ type }: FieldFact) => this.privileges.schemaShut(caller.oid, type) !== null;
    const open = fields.filter((field) => !isShut(field)).map(({ name }) => name);
    const giving = operation === 'insert' && open.length < fields.length ? restrictTo(null, open) : null;
    const decision = this.#decideAs(caller, caller.oid, relation, operation, null, giving);
    const { columns, verdict } = decision;
    const shut = fields.filter((field) => isShut(field) && (columns?.includes(field.name) ?? true));
    const [first] = shut;
    if (!first || verdict === 'never') return decision;
    const shutSchema = this.privileges.schemaShut(caller.oid, first.type);
    const { reason } = refusal(`no USAGE on schema ${shutSchema}, in which the type of ${first.name} is`);
    const left = columns?.filter((name) => open.includes(name)) ?? null;
    if (operation === 'update' && (left ?? open).length === 0) return denied(reason);
    const words = `without ${shut.map(({ name }) => name).join(', ')}`;
    return { ...addCondition(decision, words, reason, 'types'), columns: left };
  }

  /**
   * Returns the relations whose policies read one another in a circle when a role sends a statement. The first relation
   * is also the last. Returns null if there is no circle.
   */
  circle(caller: CallingRole, relation: RelationFact, operation: RowOperation): RelationFact[] | null {
    return this.#graph.circle(caller.oid, caller.oid, relation, operation);
  }

  /**
   * Decides whether the role may call the function. Analyses the function's code as far as `PolicyCalls.decide` does.
   */
  decideExecute(caller: CallingRole, routine: RoutineFact): Decision {
    if (!this.privileges.usesSchema(caller.oid, routine.schema)) return denied(`no USAGE on schema ${routine.schema}`);
    if (!this.privileges.holds(caller.oid, routine.grants, 'EXECUTE')) return denied('no EXECUTE privilege');
    return this.#calls.decide(caller, routine);
  }

  /**
   * Decides for a relation that a view or a policy names, and caches the decision.
   * @param role The role whose privileges count. It may be the owner of a view, while the claims stay those of the
   * caller.
   * @param needed Numbers of the fields that are read. 0 stands for any one field, WHOLE_ROW for every field. Null
   * means that no fields are named: the decision then lists the fields that the privilege covers.
   * @param giving The fields that the statement may set; null for all.
   */
  #decideAs(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    needed: readonly number[] | null,
    giving: WritableFields | null = null,
  ): Decision {
    const given = giving === null ? '' : JSON.stringify([[...giving.names], [...giving.filled]]);
    const memberRoles = JSON.stringify(caller.memberRoles ?? caller.memberRole);
    const key = `${caller.oid} ${memberRoles} ${role} ${relation.oid} ${operation} ${needed?.join() ?? 'whole'} ${given}`;
    return this.#look.recorder.within(relation.oid, () => {
      const decided = this.#decided.get(key);
      if (decided) return decided;
      if (decided === null) {
        // A policy that reads its own table requests the decision while it is being made. `PolicyGraph` finds out
        // whether PostgreSQL refuses this.
        this.#look.recorder.noteCircle();
        return conditional('it depends on itself', 'as its own policies allow');
      }
      this.#decided.set(key, null);
      const decision = this.#decideAfresh(caller, role, relation, operation, needed, giving);
      this.#decided.set(key, decision);
      return decision;
    });
  }

  #decideAfresh(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    needed: readonly number[] | null,
    giving: WritableFields | null,
  ): Decision {
    // PostgreSQL applies rewrite rules before it checks privileges.
    const rules = this.#look.rules.get(relation.oid);
    if (rules && operation !== 'select') {
      const refused = refusedByRules(rules, relation, operation, this.#views.isReplaced(relation, operation));
      if (refused) return denied(refused);
    }
    if (relation.kind === 'v') {
      const unknown = operation === 'select' ? null : unknownWrite(relation, operation);
      if (unknown) return denied(unknown);
    }
    const covered = this.privileges.fields(role, relation, privilegeOf[operation]);
    if (covered === 'all') return this.#rows(caller, role, relation, operation, giving);
    if (covered.length === 0) return denied(`no ${privilegeOf[operation]} privilege`);
    const fields = this.privileges.fieldsOf.get(relation.oid) ?? [];
    if (needed === null) {
      const names = covered.map((field) => field.name);
      const given = restrictTo(giving, names);
      const decision = this.#rows(caller, role, relation, operation, given);
      const shown = operation === 'select' ? fields : fields.filter(isSettable);
      const all = giving === null ? shown : shown.filter(({ name }) => giving.names.has(name));
      const columns = giving === null ? names : all.flatMap(({ name }) => given.names.get(name) ?? []);
      if (giving !== null && columns.length === all.length) return decision;
      if (operation === 'update' && columns.length === 0) return denied('no UPDATE privilege on a field that is shown');
      if (decision.verdict === 'never') return { ...decision, columns };
      const limited = addCondition(
        decision,
        `${columns.length} of ${all.length} fields`,
        `granted on ${columns.join(', ')} only`,
      );
      // The decision about a view may already list fewer fields than this operation could set. This list is then kept.
      return { ...limited, columns: decision.columns ?? columns };
    }
    const isNeeded = ({ number }: FieldFact) => needed.includes(number) || needed.includes(WHOLE_ROW);
    const missing = fields.find((field) => isNeeded(field) && !covered.includes(field));
    if (missing) return denied(`no SELECT privilege on field ${missing.name}`);
    return this.#rows(caller, role, relation, operation);
  }

  /**
   * Decides which rows the operation reaches, by the kind of the relation, its policies, its triggers and its
   * publications. The privileges are checked elsewhere.
   */
  #rows(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    giving: WritableFields | null = null,
  ): Decision {
    if (operation !== 'select' && relation.replaced.includes(operation)) {
      return conditional('a rewrite rule does something else instead', 'as its rewrite rule allows');
    }
    const unknown = operation === 'select' ? null : unknownWrite(relation, operation);
    if (unknown) return denied(unknown);
    if (relation.kind === 'v' && operation === 'select') return this.#views.select(caller, relation);
    if (relation.kind === 'v' && operation !== 'select') {
      const decision = this.#views.write(caller, role, relation, operation, giving);
      // PostgreSQL fills in the defaults of the view before it checks the base relations, so the defaults of the view
      // count.
      return operation === 'insert' ? this.#withDefaults(decision, caller.oid, relation, giving) : decision;
    }
    if (this.privileges.unpopulated.has(relation.oid)) return denied(holdsNothing);
    if (relation.mapped !== null && !relation.mapped.some((mapped) => mapped === 0 || mapped === role))
      return denied(unmapped);
    if (relation.kind === 'm' || relation.kind === 'f')
      return always('no row-level security on relations of this kind');
    const decision = this.#table(caller, role, relation, operation, giving);
    if (operation === 'select' || decision.verdict === 'never') return decision;
    const written = this.#writes.decide(decision, caller.oid, relation, operation);
    const triggered = this.#triggers.decide(written, caller, relation, operation);
    return this.#publicationChecks.decide(triggered, relation, operation);
  }

  #table(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    giving: WritableFields | null,
  ): Decision {
    const security = this.policies.rows(role, relation, operation);
    const decision = security.bound
      ? this.#bound(caller, role, relation, operation, security)
      : always(security.reason);
    if (decision.verdict === 'never') return decision;
    if (operation === 'insert') return this.#withDefaults(decision, caller.oid, relation, giving);
    if (operation === 'select') return decision;
    const conditions = security.bound ? security : { using: null, check: null };
    return this.#withReading(decision, this.#reading(caller, role, relation), conditions, this.#callerAs(caller, role));
  }

  #bound(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    { using, check, policies }: Extract<RowSecurity, { bound: true }>,
  ): Decision {
    const self = this.#callerAs(caller, role);
    const looked = { policies: namesOf(policies) };
    const parts = [using, check].filter((part) => part !== null);
    const every = { ...always(`every row passes ${quoted(policies)}`), ...looked };
    // The planner folds a condition that is true for every caller to a constant. So PostgreSQL never refuses a function
    // or a relation that such a condition uses.
    if (parts.every((part) => outcomes(part, anyone) === TRUE)) return every;
    const refused = this.#refusal(caller, role, relation, operation, policies);
    if (refused) return { ...denied(refused), ...looked };
    const failing = this.#calls.failing(caller, policies, operation);
    const failed = failing && { ...denied(`a policy fails: ${failing.reason}`, failing.code), ...looked };
    if (failed && failing.always) return failed;
    const asked = failing ? this.policies.conditionsOf(policies, operation, failing.without) : { using, check };
    const outcome = [asked.using, asked.check].filter((part) => part !== null).map((part) => outcomes(part, self));
    if (outcome.every((can) => can === TRUE)) return every;
    if (outcome.some((can) => (can & TRUE) === 0)) {
      if (failed) return failed;
      const none = noRow(policies, operation, caller);
      // PostgreSQL checks the row that an UPDATE writes only if the UPDATE finds a row.
      const isFound = operation === 'update' && using !== null && (outcomes(using, self) & TRUE) !== 0;
      return { ...(operation === 'insert' || isFound ? denied(none) : noRows(none)), ...looked };
    }
    const shown = conditional(`row-level security: ${quoted(policies)}`, { ...asked, seen: null, caller: self });
    if (failing === null) return { ...shown, ...looked };
    return { ...addCondition(shown, `as long as ${failing.routine} is not called`, failing.reason), ...looked };
  }

  /**
   * Returns the conditions that SELECT adds to a statement that reads fields. Nearly every UPDATE and DELETE has a
   * filter.
   */
  #reading(caller: CallingRole, role: number, relation: RelationFact): Reading {
    const covered = this.privileges.fields(role, relation, 'SELECT');
    const columns = covered === 'all' ? null : covered.map((field) => field.name);
    const free = { refused: null, columns, condition: null, policies: [] };
    if (columns?.length === 0) return { ...free, refused: 'the role has no SELECT privilege' };
    const security = this.policies.rows(role, relation, 'select');
    if (!security.bound || security.using === null) return free;
    const seen = this.#bound(caller, role, relation, 'select', security);
    const refused = seen.verdict === 'never' ? `of select: ${seen.reason}` : null;
    const condition = seen.verdict === 'always' ? null : security.using;
    return { refused, columns, condition, policies: security.policies };
  }

  #withReading(
    decision: Decision,
    reading: Reading,
    conditions: { using: Expression | null; check: Expression | null },
    self: Caller,
  ): Decision {
    const looked = { policies: [...new Set([...decision.policies, ...namesOf(reading.policies)])] };
    if (reading.refused !== null) {
      const why = `${reading.refused}; so a statement that reads a field, for a filter or to give rows back, changes nothing`;
      return { ...addCondition(decision, 'only without a filter', why), ...looked };
    }
    let result = { ...decision, ...looked };
    if (reading.condition !== null) {
      const using = conditions.using ?? { kind: 'constant', value: true };
      const policyConditions = { using, check: conditions.check, seen: reading.condition, caller: self };
      const also = `a statement that reads a field must pass those for select too: ${quoted(reading.policies)}`;
      result = { ...conditional(`${decision.reason}; ${also}`, policyConditions), ...looked };
    }
    if (reading.columns === null) return result;
    const named = reading.columns.join(', ');
    return addCondition(result, `filters on ${named} only`, `SELECT is granted on ${named} only`);
  }

  /**
   * Adds the fields that an INSERT must set because the role may not compute their default. Denies the INSERT if the
   * role can neither set such a field nor compute its default.
   */
  #withDefaults(decision: Decision, role: number, relation: RelationFact, giving: WritableFields | null): Decision {
    if (decision.verdict === 'never') return decision;
    const isOpen = (name: string) => !giving?.filled.has(name);
    const nameOf = (name: string) => (giving === null ? name : giving.names.get(name));
    const give = this.privileges.fieldsToGive(role, relation).filter(isOpen);
    const barred = give.find((name) => nameOf(name) === undefined);
    if (barred !== undefined) return denied(`the role may neither give field ${barred} nor compute its default`);
    const needed = giving === null ? [] : this.privileges.fieldsNeeded(relation).filter(isOpen);
    const missing = needed.find((name) => nameOf(name) === undefined);
    if (missing !== undefined) return missingValue(missing);
    if (give.length === 0) return decision;
    const named = give.map(nameOf).join(', ');
    return addCondition(decision, `with ${named} given`, `the role may not compute the default of ${named}`);
  }

  /**
   * Returns the reason why PostgreSQL refuses a statement because of the functions and relations that its policies use.
   * Returns null if PostgreSQL does not refuse.
   */
  #refusal(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    policies: readonly PolicyFact[],
  ): Refusal | null {
    // The privileges of `caller` count, because PostgreSQL executes functions with them even below a view that reads
    // with the privileges of its owner.
    const [routine] = this.privileges.refusedFunctions(caller.oid, functionsCalled(policies, operation));
    if (routine) return refusal(`a policy calls ${routine}(), which the role may not execute`);
    const circle = this.#graph.circle(caller.oid, role, relation, operation);
    if (circle) {
      const names = circle.map(display).join(', then ');
      return { reason: `infinite recursion (42P17): policies read in a circle ${names}`, code: '42P17' };
    }
    for (const { relation: oid, fields } of relationsRead(policies, operation)) {
      const read = this.#look.relations.get(oid);
      if (!read) continue;
      const decision = this.#decideAs(caller, role, read, 'select', fields);
      const { code, reason } = decision;
      if (code !== null) return { reason: `a policy reads ${display(read)}, which the role may not: ${reason}`, code };
    }
    return null;
  }

  /**
   * Returns the facts about the caller that the conditions of a policy depend on.
   * @param role The role with whose privileges the policy is applied. It decides which rows the caller sees.
   */
  #callerAs(caller: CallingRole, role: number): Caller {
    return {
      role: caller.name,
      user: caller.user,
      memberRole: caller.memberRole,
      memberRoles: caller.memberRoles,
      sees: (schema, name) => {
        const relation = named(this.#look, schema, name);
        return !relation || this.#decideAs(caller, role, relation, 'select', [0]).verdict !== 'never';
      },
    };
  }
}

const locked = refusal('it locks rows (FOR UPDATE, FOR SHARE), which no GET may', '25006');

/** PostgreSQL looks for the user mapping of exactly the current role, not of a role that it is a member of. */
const unmapped = refusal('the role has no user mapping on the server of the foreign table', '42704');

const unwritable = {
  v: ['the view is not updatable, and no trigger or rule writes its rows', '55000'],
  m: ['only REFRESH changes a materialized view', '42809'],
  f: ['the foreign table is not updatable', '55000'],
} as const;

/**
 * Returns the error of a write on a relation whose rows PostgreSQL can never write; null if PostgreSQL can write them.
 */
function unknownWrite(relation: RelationFact, operation: WriteOperation): Refusal | null {
  const { kind, replaced, updatable_by_trigger } = relation;
  if (kind === 'r' || kind === 'p' || replaced.includes(operation)) return null;
  if ((updatable_by_trigger & writeBit[operation]) !== 0) return null;
  const [why, code] = unwritable[kind];
  return refusal(why, code);
}

function noRow(policies: readonly PolicyFact[], operation: RowOperation, caller: CallingRole): string {
  if (!policies.some((policy) => policy.permissive)) {
    return `row-level security is on and no policy for ${operation} applies to this role`;
  }
  const session = caller.user === 'none' ? '; a call without a session has no auth.uid()' : '';
  return `row-level security is on and no row can pass ${quoted(policies)}${session}`;
}
