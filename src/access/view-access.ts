import type { RelationFact } from '../catalog/entities.ts';
import type { CallingRole } from './calling-roles.ts';
import {
  addCondition,
  always,
  conditional,
  type Decision,
  denied,
  display,
  noRows,
  type Refusal,
  refusal,
  shortName,
} from './decision.ts';
import type { AccessLookup } from './lookup.ts';
import { type RowOperation, triggerBit, type WriteOperation, writeBit } from './operations.ts';
import type { Privileges } from './privileges.ts';
import { roleBeneath, type ViewUses } from './view-uses.ts';
import type { ViewFieldMap, WritableFields } from './writable-fields.ts';

const anyWrite = writeBit.update | writeBit.insert | writeBit.delete;

/** Decides about a base relation of a view with the privileges of `role`, as `Access` does. */
type DecideAs = (
  caller: CallingRole,
  role: number,
  relation: RelationFact,
  operation: RowOperation,
  needed: readonly number[] | null,
  giving?: WritableFields | null,
) => Decision;

/** Decides about views: which role's privileges count for the base relations, and what these privileges allow. */
export class ViewAccess {
  readonly #privileges: Privileges;
  readonly #uses: ViewUses;
  readonly #triggers: AccessLookup['triggers'];
  readonly #shown: ViewFieldMap;
  readonly #decideAs: DecideAs;

  constructor({ privileges, views, triggers }: AccessLookup, shown: ViewFieldMap, decideAs: DecideAs) {
    this.#privileges = privileges;
    this.#triggers = triggers;
    this.#uses = views;
    this.#shown = shown;
    this.#decideAs = decideAs;
  }

  /** Decides about a SELECT on the view. */
  select(caller: CallingRole, view: RelationFact): Decision {
    const { role, whose, relations, calls } = this.#beneath(caller, view, true);
    if (calls?.always) return denied(callsRefused(calls.routine));
    const decision = this.#readThrough(caller, view, role, whose, relations);
    if (!calls || decision.verdict === 'never') return decision;
    return addCondition(decision, `without the fields that call ${calls.routine}()`, callsRefused(calls.routine));
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
    const isEmpty = ({ fact, seen }: (typeof reads)[number]) =>
      seen.code !== null && this.#privileges.unpopulated.has(fact.oid);
    const closed = reads.find((read) => read.seen.code !== null && !isEmpty(read));
    if (closed?.seen.code)
      return denied(`${whose} may not read ${display(closed.fact)}: ${closed.seen.reason}`, closed.seen.code);
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
    // Each row of an updatable view is a row of its table, so the decision about the table also holds for the view. For
    // other views it does not have to hold.
    if (relations.length === 1 && (view.updatable & anyWrite) !== 0) {
      return {
        ...first.seen,
        policies: [],
        reason: `reads ${tables} with the rights of ${whose}: ${first.seen.reason}`,
      };
    }
    const required = this.#uses.query(view.oid).required();
    const empty = limited.find(({ fact, seen }) => seen.verdict === 'never' && required.has(fact.oid));
    if (empty) {
      return noRows(`reads ${display(empty.fact)} with the rights of ${whose}: ${empty.seen.reason}`);
    }
    const reason = `reads with the rights of ${whose}, and of ${tables} only the rows that these see`;
    return conditional(
      reason,
      `as far as rows of ${limited.map(({ fact }) => shortName(fact)).join(', ')} can be seen`,
    );
  }

  /**
   * Decides about a view that reads materialized views without data. PostgreSQL skips relations that a statement does
   * not need, so some fields of the view may be readable.
   */
  #readUnpopulated(view: RelationFact, unpopulated: readonly RelationFact[]): Decision {
    const names = unpopulated.map(display).join(', ');
    const required = this.#uses.query(view.oid).required();
    if (unpopulated.some(({ oid }) => required.has(oid)))
      return denied(`reads ${names}: ${holdsNothing.reason}`, holdsNothing.code);
    return conditional(
      `reads ${names}: ${holdsNothing.reason}`,
      `without what comes from ${names}, until that is refreshed`,
    );
  }

  /**
   * Decides about a statement that writes through the view.
   * @param role The role whose privileges on the view count.
   * @param giving The fields of the view that the statement may set; null for all.
   */
  write(
    caller: CallingRole,
    role: number,
    view: RelationFact,
    operation: WriteOperation,
    giving: WritableFields | null,
  ): Decision {
    // An INSTEAD OF trigger performs the statement even if PostgreSQL could write through the view.
    const isTriggers = (view.updatable & writeBit[operation]) === 0 || this.isReplaced(view, operation);
    const base = this.#beneath(caller, view, isTriggers);
    // An INSERT does not evaluate the view's query, so the functions in the query do not matter.
    const calls = operation === 'insert' ? null : base.calls;
    // PostgreSQL passes the whole row to a trigger, so it evaluates every function of the view's query.
    if (calls && (calls.always || (isTriggers && this.#uses.query(view.oid).isFlat)))
      return denied(callsRefused(calls.routine));
    if (isTriggers) {
      return conditional('an INSTEAD OF trigger decides', 'as its trigger allows');
    }
    const query = this.#uses.query(view.oid);
    const source = query.source();
    const table = base.relations.find(({ fact }) => fact.oid === source);
    if (!table) {
      return conditional(`writes with the rights of ${base.whose}`, 'as the tables beneath allow');
    }
    // An INSERT evaluates the view's condition only if the view has a check option. So without one, the relations in
    // the condition do not matter.
    const isAsked = operation !== 'insert' || view.check_option !== null;
    const asked = isAsked ? query.readByConditions() : new Set();
    const looked = base.relations.filter(({ fact }) => asked.has(fact.oid));
    const seen = looked.map(({ fact, fields }) => ({
      fact,
      decision: this.#decideAs(caller, base.role, fact, 'select', fields),
    }));
    const closed = seen.find((one) => one.decision.code !== null);
    if (closed?.decision.code) {
      return denied(
        `${base.whose} may not read ${display(closed.fact)}: ${closed.decision.reason}`,
        closed.decision.code,
      );
    }
    const given = operation === 'delete' ? null : this.#shown.toTable(view, table.fact, giving);
    const written = this.#decideAs(caller, base.role, table.fact, operation, null, given);
    const reason = `writes ${display(table.fact)} with the rights of ${base.whose}: ${written.reason}`;
    let decision: Decision = { ...written, reason, policies: [] };
    if (decision.verdict === 'never') return decision;
    const hidden = seen.filter((one) => one.decision.verdict !== 'always').map(({ fact }) => shortName(fact));
    if (hidden.length > 0) {
      const words = `as far as rows of ${hidden.join(', ')} can be seen`;
      decision = addCondition(decision, words, `the view’s condition looks into ${hidden.join(', ')}`);
    }
    const keepsAll = table.fact.kind !== 'v' && query.showsAll;
    if (view.check_option !== null && operation !== 'delete' && !keepsAll) {
      decision = addCondition(decision, 'the row stays in the view', 'the view has a check option');
    }
    if (calls) {
      const words = `without reading the fields that call ${calls.routine}()`;
      decision = addCondition(decision, words, callsRefused(calls.routine));
    }
    const covered = operation === 'insert' ? 'all' : this.#privileges.fields(role, view, 'SELECT');
    if (covered === 'all' || covered.length > 0) return decision;
    return addCondition(decision, 'only without a filter', 'the role has no SELECT privilege on the view');
  }

  /**
   * Excludes from the decision those fields of a view that PostgreSQL writes to no table although the catalog does not
   * mark them as computed.
   * - Fields that show an identity or generated column of the table.
   * - Expressions, in a view whose other operations a trigger or rule performs.
   */
  withoutMade(decision: Decision, relation: RelationFact, operation: 'insert' | 'update'): Decision {
    if (decision.verdict === 'never') return decision;
    const given = (this.#privileges.fieldsOf.get(relation.oid) ?? []).filter(
      ({ name, computed, made }) => (!computed || made) && (decision.columns?.includes(name) ?? true),
    );
    const refused = given.flatMap(({ name, number }) => {
      const code = this.#codeOfField(relation, number, operation);
      return code === null ? [] : [{ name, code }];
    });
    const [first] = refused;
    if (!first) return decision;
    const names = refused.map(({ name }) => name).join(', ');
    const why = refusal(`PostgreSQL numbers or computes ${names}, and refuses a value for it`, first.code);
    if (operation === 'update' && refused.length === given.length) return denied(why);
    return addCondition(decision, `without ${names}`, why.reason, 'rule');
  }

  /** Returns the code of the error of a statement that sets a field of a view; null if PostgreSQL accepts a value. */
  #codeOfField(view: RelationFact, number: number, operation: 'insert' | 'update'): string | null {
    if (this.isReplaced(view, operation) || view.replaced.includes(operation)) return null;
    const origin = this.#shown.originOf(view, number);
    const base = origin && this.#uses.base(view).find(({ oid }) => oid === origin.table);
    if (!base) return '0A000';
    if (base.kind === 'v') return this.#codeOfField(base, origin.tableColumn, operation);
    const field = this.#privileges.fieldsOf.get(base.oid)?.find((one) => one.number === origin.tableColumn);
    return field && (field.identity === 'a' || field.generated !== '') ? '428C9' : null;
  }

  /** Returns true if an INSTEAD OF trigger of the view performs the operation. */
  isReplaced(view: RelationFact, operation: WriteOperation): boolean {
    // PostgreSQL cannot disable INSTEAD OF triggers, so all of them count.
    const replacing = triggerBit.instead | triggerBit[operation];
    return (this.#triggers.get(view.oid) ?? []).some(({ events }) => (events & replacing) === replacing);
  }

  /**
   * Returns what a view's query uses: its relations, the role whose privileges PostgreSQL checks for them, and a
   * function of the query that the caller may not execute.
   * @param isRead True for a SELECT from the view. False for a statement that only changes rows of the table below the
   * view.
   */
  #beneath(caller: CallingRole, view: RelationFact, isRead: boolean) {
    const uses = this.#uses.of(view.oid);
    const query = this.#uses.query(view.oid);
    const refused = uses.functions.flatMap(({ oid, anyway, read }) =>
      this.#privileges
        .refusedFunctions(caller.oid, [oid])
        // A statement that changes the rows of the table does not sort them, so functions in ORDER BY are not called.
        .filter(() => isRead || !query.callsOnlyToOrder(oid))
        .map((routine) => ({ oid, routine, anyway: anyway || (isRead && read) })),
    );
    const anyway = refused.find((one) => one.anyway || query.callsAnyway(one.oid, isRead))?.routine;
    const routine = anyway ?? refused[0]?.routine;
    return {
      role: roleBeneath(view, caller.oid),
      whose: view.security_invoker ? 'the caller' : 'the view’s owner',
      calls: routine === undefined ? null : { routine, always: anyway !== undefined },
      relations: uses.relations.map(({ relation, fields }) => ({ fact: relation, fields })),
    };
  }
}

/** The reason why PostgreSQL refuses to read a materialized view that has no data. */
export const holdsNothing: Refusal = {
  reason:
    'it holds nothing yet, and PostgreSQL refuses to read it (55000) until REFRESH MATERIALIZED VIEW has filled it',
  code: '55000',
};

const callsRefused = (routine: string): string => `the view calls ${routine}(), which the role may not execute`;
