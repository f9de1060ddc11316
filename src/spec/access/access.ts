import type { PolicyFact } from '../../catalog/access.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { RoutineFact } from '../../catalog/routines.ts';
import type { Facts } from '../facts.ts';
import { type Expression, parseQuery } from '../words/expression.ts';
import { anyone, type Caller, outcomes, TRUE } from '../words/outcomes.ts';
import {
  always,
  conditionWords,
  type Decision,
  display,
  findsNothing,
  limit,
  namesOf,
  open,
  quoted,
  refuse,
} from './decision.ts';
import { callFunction, Policies, type RowOperation, type RowSecurity } from './policies.ts';
import { PolicyGraph } from './policy-graph.ts';
import { refusedByRules } from './rewrite-rules.ts';
import { isGiven, Rights } from './rights.ts';
import { ViewUses } from './view-uses.ts';

/** Who calls: the role that the call has, and what is known of its user. */
export interface CallingRole {
  oid: number;
  name: string;
  user: Caller['user'];
  /** Of the roles that members can have, the one that the user is known to have; null where none is known. */
  memberRole: string | null;
}

/** Bits of pg_relation_is_updatable. */
const writeBit = { update: 4, insert: 8, delete: 16 } as const;
const anyWrite = 28;
const privilegeOf = { select: 'SELECT', insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

/** What a statement must pass besides when it reads a row that it changes. */
interface Reading {
  /** Why such a statement gets nowhere; null where it may. */
  refused: string | null;
  /** Names of the only fields that it may read; null where it may read all. */
  columns: string[] | null;
  /** What the policies for select ask; null where nothing binds. */
  condition: Expression | null;
  policies: PolicyFact[];
}

/**
 * Decides, from the catalogue alone, what PostgreSQL will answer. A verdict is `always` where no statement on any row is
 * refused, `never` where each is refused or finds no row, else `when`, with the condition in words. A condition that is
 * not understood counts as open: `when` may stand where a cleverer reader would know more, the others never do.
 */
export class Access {
  readonly rights: Rights;
  readonly policies: Policies;
  readonly #relations: ReadonlyMap<number, RelationFact>;
  readonly #byName: ReadonlyMap<string, RelationFact>;
  readonly #views: ViewUses;
  readonly #graph: PolicyGraph;
  /** Null while a decision is being made. */
  readonly #decided = new Map<string, Decision | null>();

  constructor(facts: Facts) {
    this.rights = new Rights(facts);
    this.policies = new Policies(facts, this.rights);
    this.#views = new ViewUses(facts);
    this.#relations = new Map(facts.relations.map((relation) => [relation.oid, relation]));
    this.#byName = new Map(facts.relations.map((relation) => [nameKey(relation.schema, relation.name), relation]));
    const named = (schema: string, name: string) => this.#byName.get(nameKey(schema, name));
    this.#graph = new PolicyGraph(this.policies, this.#views, this.#relations, named);
  }

  /** Decides for a statement that the role sends itself. */
  decide(caller: CallingRole, relation: RelationFact, operation: RowOperation): Decision {
    if (!this.rights.usesSchema(caller.oid, relation.schema)) return refuse(`no USAGE on schema ${relation.schema}`);
    return this.#decideAs(caller, caller.oid, relation, operation, null);
  }

  /** Decides whether the role may call the function. What the function then does is its own affair. */
  decideExecute(caller: CallingRole, routine: RoutineFact): Decision {
    if (!this.rights.usesSchema(caller.oid, routine.schema)) return refuse(`no USAGE on schema ${routine.schema}`);
    if (!this.rights.holds(caller.oid, routine.grants, 'EXECUTE')) return refuse('no EXECUTE privilege');
    if (!routine.security_definer) return always('runs with the rights of the caller');
    const isSuperuser = this.rights.membership.role(routine.owner)?.superuser === true;
    return always(`runs with the rights of its owner${isSuperuser ? ', a superuser: with all rights' : ''}`);
  }

  /**
   * The same for a relation that a view or a policy names: `role` is whose rights count, which may be a view's owner,
   * while claims stay the caller's. `needed` are the numbers of the fields that are read, 0 for none in particular; null
   * asks about the relation as a whole.
   */
  #decideAs(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    needed: readonly number[] | null,
  ): Decision {
    const key = `${caller.oid} ${caller.memberRole ?? ''} ${role} ${relation.oid} ${operation} ${needed?.join() ?? 'whole'}`;
    const decided = this.#decided.get(key);
    // Asked for while it is being decided, by a policy that looks at its own table: the graph of policies tells what comes of it.
    if (decided !== undefined) return decided ?? open('it depends on itself', 'as its own policies allow');
    this.#decided.set(key, null);
    const decision = this.#decideAfresh(caller, role, relation, operation, needed);
    this.#decided.set(key, decision);
    return decision;
  }

  #decideAfresh(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    needed: readonly number[] | null,
  ): Decision {
    // Rules are asked before rights.
    const ruled = operation === 'select' ? null : refusedByRules(relation, operation);
    if (ruled !== null) return refuse(ruled);
    const covered = this.rights.fields(role, relation, privilegeOf[operation]);
    if (covered === 'all') return this.#rows(caller, role, relation, operation);
    if (covered.length === 0) return refuse(`no ${privilegeOf[operation]} privilege`);
    const fields = this.rights.fieldsOf.get(relation.oid) ?? [];
    if (needed === null) {
      const decision = this.#rows(
        caller,
        role,
        relation,
        operation,
        covered.map((field) => field.name),
      );
      const columns = covered.map((field) => field.name);
      if (decision.verdict === 'never') return { ...decision, columns };
      const total = operation === 'select' ? fields.length : fields.filter(isGiven).length;
      const words = `${columns.length} of ${total} fields`;
      return { ...limit(decision, words, `granted on ${columns.join(', ')} only`), columns };
    }
    const missing = fields.find((field) => needed.includes(field.number) && !covered.includes(field));
    if (missing) return refuse(`no SELECT privilege on field ${missing.name}`);
    return this.#rows(caller, role, relation, operation);
  }

  /** Which rows: the relation's own rules, grants aside. `columns` are those that may be given, null for all. */
  #rows(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    columns: readonly string[] | null = null,
  ): Decision {
    if (operation !== 'select' && relation.replaced.includes(operation)) {
      return open('a rewrite rule does something else instead', 'as its rewrite rule allows');
    }
    if (operation !== 'select' && (relation.updatable_by_trigger & writeBit[operation]) === 0) {
      return refuse(`PostgreSQL knows no ${operation} on this ${kindNames[relation.kind]}`);
    }
    if (relation.kind === 'v' && operation === 'select') return this.#selectView(caller, relation);
    if (relation.kind === 'v' && operation !== 'select') return this.#writeView(caller, role, relation, operation);
    if (this.rights.unpopulated.has(relation.oid)) return refuse(holdsNothing);
    if (relation.kind === 'm' || relation.kind === 'f')
      return always('no row-level security on relations of this kind');
    return this.#table(caller, role, relation, operation, columns);
  }

  #table(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    columns: readonly string[] | null,
  ): Decision {
    const security = this.policies.rows(role, relation, operation);
    const decision = security.bound
      ? this.#bound(caller, role, relation, operation, security)
      : always(security.reason);
    if (decision.verdict === 'never') return decision;
    if (operation === 'insert') return this.#withDefaults(decision, role, relation, columns);
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
    // What is true for anyone is folded away when the statement is planned, before anything in it could be refused.
    if (parts.every((part) => outcomes(part, anyone) === TRUE)) return every;
    const refusal = this.#refusal(caller, role, relation, operation, policies);
    if (refusal) return { ...refuse(refusal), ...looked };
    const outcome = parts.map((part) => outcomes(part, self));
    if (outcome.every((can) => can === TRUE)) return every;
    if (outcome.some((can) => (can & TRUE) === 0)) {
      const none = noRow(policies, operation, caller);
      return { ...(operation === 'insert' ? refuse(none) : findsNothing(none)), ...looked };
    }
    return { ...open(`row-level security: ${quoted(policies)}`, conditionWords(using, check, null, self)), ...looked };
  }

  /** What SELECT adds to a statement that reads columns: nearly every UPDATE and DELETE has a filter. */
  #reading(caller: CallingRole, role: number, relation: RelationFact): Reading {
    const covered = this.rights.fields(role, relation, 'SELECT');
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
      return { ...limit(decision, 'only without a filter', why), ...looked };
    }
    let result = { ...decision, ...looked };
    if (reading.condition !== null) {
      const using = conditions.using ?? { kind: 'constant', value: true };
      const words = conditionWords(using, conditions.check, reading.condition, self);
      const also = `a statement that reads a field must pass those for select too: ${quoted(reading.policies)}`;
      result = { ...open(`${decision.reason}; ${also}`, words), ...looked };
    }
    if (reading.columns === null) return result;
    const named = reading.columns.join(', ');
    return limit(result, `filters on ${named} only`, `SELECT is granted on ${named} only`);
  }

  #withDefaults(decision: Decision, role: number, relation: RelationFact, columns: readonly string[] | null): Decision {
    const give = this.rights.fieldsToGive(role, relation);
    if (give.length === 0) return decision;
    const named = give.join(', ');
    const barred = columns && give.find((name) => !columns.includes(name));
    if (barred) return refuse(`the role may neither give field ${barred} nor compute its default`);
    return limit(decision, `with ${named} given`, `the role may not compute the default of ${named}`);
  }

  #selectView(caller: CallingRole, view: RelationFact): Decision {
    const { role, whose, relations, calls } = this.#beneath(caller, view);
    if (calls?.always) return refuse(callsRefused(calls.routine));
    const decision = this.#readThrough(caller, view, role, whose, relations);
    if (!calls || decision.verdict === 'never') return decision;
    return limit(decision, `without the fields that call ${calls.routine}()`, callsRefused(calls.routine));
  }

  #readThrough(
    caller: CallingRole,
    view: RelationFact,
    role: number,
    whose: string,
    relations: readonly { fact: RelationFact; fields: number[] }[],
  ): Decision {
    const reads = relations.map(({ fact, fields }) => ({
      fact,
      seen: this.#decideAs(caller, role, fact, 'select', fields),
    }));
    const isEmpty = ({ fact, seen }: (typeof reads)[number]) => seen.refused && this.rights.unpopulated.has(fact.oid);
    const closed = reads.find((read) => read.seen.refused && !isEmpty(read));
    if (closed) return refuse(`${whose} may not read ${display(closed.fact)}: ${closed.seen.reason}`);
    const unpopulated = reads.filter(isEmpty);
    if (unpopulated.length > 0)
      return this.#readUnpopulated(
        view,
        unpopulated.map(({ fact }) => fact),
      );
    const limited = reads.filter(({ seen }) => seen.verdict !== 'always');
    const first = limited[0];
    if (!first) return always(`reads with the rights of ${whose}`);
    const tables = limited.map(({ fact }) => display(fact)).join(', ');
    // Only of a view that takes writes is it sure that each of its rows is a row of its table.
    if (relations.length === 1 && (view.updatable & anyWrite) !== 0) {
      return {
        ...first.seen,
        policies: [],
        reason: `reads ${tables} with the rights of ${whose}: ${first.seen.reason}`,
      };
    }
    const query = view.definition === null ? null : parseQuery(view.definition);
    const empty = limited.find(
      ({ fact, seen }) =>
        seen.verdict === 'never' &&
        query?.plain &&
        query.from.some((from) => nameKey(...from) === nameKey(fact.schema, fact.name)),
    );
    if (empty) {
      return findsNothing(`reads ${display(empty.fact)} with the rights of ${whose}: ${empty.seen.reason}`);
    }
    const reason = `reads with the rights of ${whose}, and of ${tables} only the rows that these see`;
    return open(reason, `as far as rows of ${tables} can be seen`);
  }

  /** PostgreSQL leaves out what a statement needs nothing of, so that a view may be read in part. */
  #readUnpopulated(view: RelationFact, unpopulated: readonly RelationFact[]): Decision {
    const names = unpopulated.map(display).join(', ');
    const query = view.definition === null ? null : parseQuery(view.definition);
    const isFrom = ({ schema, name }: RelationFact) =>
      query?.from.some((from) => nameKey(...from) === nameKey(schema, name));
    if (query?.plain && unpopulated.some(isFrom)) return refuse(`reads ${names}: ${holdsNothing}`);
    return open(`reads ${names}: ${holdsNothing}`, `without what comes from ${names}, until that is refreshed`);
  }

  #writeView(
    caller: CallingRole,
    role: number,
    view: RelationFact,
    operation: 'insert' | 'update' | 'delete',
  ): Decision {
    const beneath = this.#beneath(caller, view);
    // An INSERT asks nothing of the view's query.
    const calls = operation === 'insert' ? null : beneath.calls;
    if (calls?.always) return refuse(callsRefused(calls.routine));
    if ((view.updatable & writeBit[operation]) === 0) {
      return open('an INSTEAD OF trigger decides', 'as its trigger allows');
    }
    const [table, ...others] = beneath.relations;
    // The catalogue does not say which of several relations is the one that is written.
    if (!table || others.length > 0) {
      return open(`writes with the rights of ${beneath.whose}`, 'as the tables beneath allow');
    }
    const written = this.#decideAs(caller, beneath.role, table.fact, operation, null);
    const reason = `writes ${display(table.fact)} with the rights of ${beneath.whose}: ${written.reason}`;
    let decision: Decision = { ...written, reason, policies: [], columns: null };
    if (decision.verdict === 'never') return decision;
    const keepsAll = table.fact.kind !== 'v' && showsAll(view);
    if (view.check_option !== null && operation !== 'delete' && !keepsAll) {
      decision = limit(decision, 'the row stays in the view', 'the view has a check option');
    }
    if (calls) {
      const words = `without reading the fields that call ${calls.routine}()`;
      decision = limit(decision, words, callsRefused(calls.routine));
    }
    const covered = operation === 'insert' ? 'all' : this.rights.fields(role, view, 'SELECT');
    if (covered === 'all' || covered.length > 0) return decision;
    return limit(decision, 'only without a filter', 'the role has no SELECT privilege on the view');
  }

  /** The relations of a view's query, and whose rights decide about them. */
  #beneath(caller: CallingRole, view: RelationFact) {
    const uses = this.#views.of(view.oid);
    const refused = this.rights.refusedFunctions(caller.oid, uses.functions);
    const anyway = refused.find((routine) => callsAnyway(view, routine));
    const routine = anyway ?? refused[0];
    return {
      role: view.security_invoker ? caller.oid : view.owner,
      whose: view.security_invoker ? 'the caller' : 'the view’s owner',
      calls: routine === undefined ? null : { routine, always: anyway !== undefined },
      relations: uses.relations.flatMap(({ relation, fields }) => {
        const fact = this.#relations.get(relation);
        return fact ? [{ fact, fields }] : [];
      }),
    };
  }

  /** Why PostgreSQL refuses a statement for what its policies call and read; null where it does not. */
  #refusal(
    caller: CallingRole,
    role: number,
    relation: RelationFact,
    operation: RowOperation,
    policies: readonly PolicyFact[],
  ): string | null {
    // Functions run as whoever calls, even beneath a view that reads with its owner's rights.
    const routine = this.rights
      .refusedFunctions(
        caller.oid,
        policies.flatMap((policy) => policy.functions),
      )
      .find((name) => callFunction(policies, operation, name));
    if (routine) return `a policy calls ${routine}(), which the role may not execute (42501)`;
    if (this.#graph.recurses(role, relation, operation)) {
      return 'its policies lead back to the table that they protect: infinite recursion (42P17)';
    }
    for (const [schema, name] of this.policies.relationsIn(policies, operation)) {
      const read = this.#byName.get(nameKey(schema, name));
      const decision = read && this.#decideAs(caller, role, read, 'select', [0]);
      if (decision?.refused) return `a policy reads ${schema}.${name}, which the role may not: ${decision.reason}`;
    }
    return null;
  }

  /** The caller as a policy sees it that is applied with the rights of `role`. */
  #callerAs(caller: CallingRole, role: number): Caller {
    return {
      role: caller.name,
      user: caller.user,
      memberRole: caller.memberRole,
      sees: (schema, name) => {
        const relation = this.#byName.get(nameKey(schema, name));
        return !relation || this.#decideAs(caller, role, relation, 'select', [0]).verdict !== 'never';
      },
    };
  }
}

const kindNames = { r: 'table', p: 'table', v: 'view', m: 'materialized view', f: 'foreign table' } as const;

/** No name holds a NUL character. */
const nameKey = (schema: string, name: string): string => `${schema}\0${name}`;

const holdsNothing =
  'it holds nothing yet, and PostgreSQL refuses to read it (55000) until REFRESH MATERIALIZED VIEW has filled it';

/** True of a view whose query has no condition. */
function showsAll(view: RelationFact): boolean {
  const where = view.definition === null ? null : parseQuery(view.definition)?.where;
  return where?.kind === 'constant' && where.value === true;
}

const callsRefused = (routine: string): string => `the view calls ${routine}(), which the role may not execute`;

/** True where a view calls a function whatever is read of it; one for a field alone is left out with the field. */
function callsAnyway(view: RelationFact, routine: string): boolean {
  const query = view.definition === null ? null : parseQuery(view.definition);
  if (!query || view.definition === null) return false;
  return view.definition.slice(view.definition.lastIndexOf(query.source)).includes(`${routine}(`);
}

function noRow(policies: readonly PolicyFact[], operation: RowOperation, caller: CallingRole): string {
  if (!policies.some((policy) => policy.permissive)) {
    return `row-level security is on and no policy for ${operation} applies to this role`;
  }
  const session = caller.user === 'none' ? '; a call without a session has no auth.uid()' : '';
  return `row-level security is on and no row can pass ${quoted(policies)}${session}`;
}
