import type { RoleCell } from '../../../contract/specification-roles.ts';
import type { Access } from '../../access/access.ts';
import type { Attempt } from '../../access/attempts.ts';
import type { ChapterRole } from '../../access/calling-roles.ts';
import { primaryKey } from '../../access/fact-indexes.ts';
import { baseOf } from '../../access/field-types.ts';
import type { Lookup } from '../../access/lookup.ts';
import { privilegeOf, type RowOperation, type TablePrivilege } from '../../access/operations.ts';
import { isSettable } from '../../access/privileges.ts';
import { clauseFor, combinePolicies, policyChecks } from '../../access/row-security.ts';
import type { FieldFact, RelationFact } from '../../catalog/entities.ts';
import { entityId, sqlName } from '../../catalog/names.ts';
import { asRelation, found, type Row, typed } from './literals.ts';
import type { ProbeCaller } from './probe-callers.ts';

/** Characters of each value of a key that a sentence contains. */
const SHOWN_CHARACTERS = 40;

/** A planned attempt on a cell: the statement and the data to interpret its result. */
export interface PlannedAttempt {
  attempt: Attempt;
  caller: ProbeCaller;
  row: string;
  /**
   * The index of the tested row, to find out whether this row passes the policies; null if the statement is about no
   * particular row.
   */
  place: number | null;
  /** The number of the field that an UPDATE sets; null for other statements. */
  field: number | null;
  /**
   * True if the statement uses a field that the role's privilege does not cover. PostgreSQL must then refuse the
   * statement.
   */
  beyond: boolean;
  /** True if the statement touches no row and only shows whether PostgreSQL refuses it. */
  asks: boolean;
  /**
   * A SELECT that finds the row if the operation would reach it with the caller's privileges and policies. It runs no
   * trigger. Null if there is no such statement.
   */
  reach: string | null;
}

/** The facts about a relation that are known before its cells are tested. */
export interface ProbedRelation {
  relation: RelationFact;
  rows: readonly Row[];
  /**
   * A row to insert. For callers with a session, the row's member fields may be set to the caller. Null if there is no
   * model for a row.
   */
  newRow: Row | null;
  /** The fields that contain the member's id. */
  owners: readonly string[];
  /** True if `rows` are all rows of the relation. */
  isWhole: boolean;
  /**
   * True if the relation or a base relation has rewrite rules. The result of a write then depends on the form of the
   * statement, so the probe uses the form of calls.
   */
  isRuled: boolean;
}

/** The name of the tested row for a statement without a condition on rows. */
export const ALL_ROWS = 'all rows';

/** The name of the tested row for a statement that reaches no row. */
export const NO_ROW = 'no row';

/** The name of the tested row for a statement that reads any row of the relation without naming a field. */
const ANY_ROW = 'any row';

/** Plans the attempts on cells. Pure. */
export class ProbePlanner {
  readonly #access: Access;
  readonly #look: Lookup;
  readonly #computed: ReadonlySet<string>;
  readonly #breadth: Pick<SampleSize, 'read' | 'written'>;

  /**
   * @param computed The fields of views that a statement may not set. Each text has the operation (`insert` or
   * `update`), the relation and the number of the field.
   * @param breadth The number of rows that each caller tests.
   */
  constructor(
    look: Lookup,
    access: Access,
    computed: ReadonlySet<string>,
    breadth: Pick<SampleSize, 'read' | 'written'>,
  ) {
    this.#breadth = breadth;
    this.#computed = computed;
    this.#access = access;
    this.#look = look;
  }

  /**
   * Returns the attempts on a cell for one caller, or the reason why there are none.
   * @param turn The index of the field that an UPDATE sets. A trigger that refuses a change of one field may accept
   * another.
   */
  plan(
    cell: RoleCell,
    role: ChapterRole,
    caller: ProbeCaller,
    probed: ProbedRelation,
    turn = 0,
  ): PlannedAttempt[] | string {
    const operation = cell.operation as RowOperation;
    const fields = this.#access.privileges.fieldsOf.get(probed.relation.oid) ?? [];
    const readable = this.#covered(role, probed.relation, 'SELECT', fields);
    const given =
      operation === 'delete' ? fields : this.#covered(role, probed.relation, privilegeOf[operation], fields);
    const settable = (given.length > 0 ? given : fields).filter((field) => isSettable(field) && field.identity !== 'a');
    const taking = settable.filter((field) => this.#isGiven(operation, field));
    const open = taking.filter((field) => this.#makes(role, field));
    const set = (open.length > 0 ? open : taking.length > 0 ? taking : settable)[turn];
    const plan = (
      sql: string,
      row: string,
      place: number | null,
      beyond = false,
      reach: string | null = null,
    ): PlannedAttempt => ({
      reach,
      asks: row === NO_ROW || row === ANY_ROW,
      attempt: {
        role: caller.role,
        claims: caller.claims,
        ...(caller.setup === undefined ? {} : { setup: caller.setup }),
        sql: probed.isRuled && operation !== 'select' ? asCall(sql) : sql,
        kind: 'rows',
        ...(operation === 'select' ? { isRead: true } : {}),
      },
      caller,
      row,
      place,
      field: operation === 'update' && !beyond ? (set?.number ?? null) : null,
      beyond,
    });
    const id = entityId(probed.relation.schema, probed.relation.name);
    if (operation === 'insert') return this.#inserts(id, this.#toGive(role, probed.relation), caller, probed, plan);
    // The cell may be `never` because the role lacks the privileges. Then the probe builds the statement as if the role
    // had them, and PostgreSQL must refuse it.
    const usable = readable.length > 0 ? readable : operation === 'select' ? fields : [];
    const statement = (row: Row | null): string | null => {
      if (operation === 'select') return `select ${usable.map((field) => sqlName(field.name)).join(', ')} from ${id}`;
      if (operation === 'delete') return `delete from ${id}`;
      return set ? `update ${id} set ${sqlName(set.name)} = ${typed(row?.get(set.name) ?? null, set)}` : null;
    };
    if (statement(null) === null) return 'it has no field that a statement may change';
    if (operation === 'select' && usable.length === 0) return [plan(`select from ${id} limit 1`, ANY_ROW, null)];
    const key = this.#key(probed.relation, usable);
    // This SELECT must start to read, although it returns no row. Only then does PostgreSQL refuse a materialized view
    // without data; with `where false`, it does not.
    const ofNone = `${statement(null)} ${operation === 'select' ? 'limit 0' : 'where false'}`;
    if (probed.rows.length === 0) return [plan(ofNone, NO_ROW, null)];
    const beyond = this.#beyond(cell, operation, id, fields).map((sql) =>
      plan(sql, 'a field beyond the grant', null, true),
    );
    if (key.length === 0) {
      // Without a key, a statement reaches all rows at once. So the probe tests such a table only if it has few rows.
      if (!probed.isWhole) return [plan(ofNone, NO_ROW, null), ...beyond];
      return [plan(statement(probed.rows[0] ?? null) ?? '', ALL_ROWS, null), ...beyond];
    }
    const rows = probed.rows.slice(0, operation === 'select' ? this.#breadth.read : this.#breadth.written);
    // A computed field of a view may differ between callers, so one caller may not find a row by the values that
    // another caller reads.
    const isView = operation === 'select' && probed.relation.kind === 'v';
    return [
      ...(isView ? [plan(`${statement(null)} limit 1`, 'the first row', null)] : []),
      ...rows.map((row, place) => {
        const where = `where ${found(row, key, this.#look.types)}`;
        const reach = reachOf(probed, operation, `${id} ${where}`);
        return plan(`${statement(row)} ${where}`, this.#named(row, caller, probed, key), place, false, reach);
      }),
      ...beyond,
    ];
  }

  /**
   * Returns SQL that evaluates the policies for each row and returns a list of booleans, together with the role that
   * runs the SQL. Returns null if no policy applies or no role can evaluate the policies.
   * @param reads True if the statement reads a field, so that the select policies also apply.
   */
  condition(
    cell: RoleCell,
    role: ChapterRole,
    probed: ProbedRelation,
    rows: readonly Row[],
    reads: boolean,
  ): { sql: string; role: string } | null {
    const operation = cell.operation as RowOperation;
    const { relation } = probed;
    const security = (command: RowOperation) => this.#access.policies.rows(role.caller.oid, relation, command);
    if (!security(operation).bound || (relation.kind !== 'r' && relation.kind !== 'p')) return null;
    // The INSERT of the probe reads no field, so the policies for SELECT do not apply to it.
    const clauses = policyChecks(operation, reads && operation !== 'insert').flatMap((check) => {
      const rules = security(check.command);
      return rules.bound ? [rules.policies.map((policy) => ({ policy, clause: clauseFor(policy, check) }))] : [];
    });
    const parts = clauses.map((some) => {
      const results = some.flatMap(({ policy, clause }) => {
        const text = policy[clause];
        return text === null ? [] : [{ permissive: policy.permissive, result: `(${text})` }];
      });
      return combinePolicies(results, sqlConnectives);
    });
    const readsRelations = clauses
      .flat()
      .some(({ policy, clause }) => policy.reads.some((one) => one.clause === clause));
    // Several clauses of one statement may contain the same condition, so each condition is evaluated only once.
    const text = [...new Set(parts)].join(' and ');
    // Values get the base types of domains, because the constraints of a domain must not refuse them here.
    const fields = (this.#access.privileges.fieldsOf.get(relation.oid) ?? [])
      .filter((field) => isNamed(text, field))
      .map((field) => {
        const { type, oid } = baseOf(field, this.#look.types);
        return { ...field, type, type_oid: oid };
      });
    const asker = this.#asker(role, text, fields, readsRelations);
    if (asker === null) return null;
    const given = operation === 'insert' ? new Set(this.#toGive(role, relation).map((field) => field.name)) : null;
    const list = asRelation(rows, fields, relation.name, given);
    const sql = `select pg_catalog.json_agg(coalesce((${text}), false) order by ninefold_place) from ${list}`;
    return { sql, role: asker };
  }

  /**
   * Returns the role that evaluates the policies. PostgreSQL resolved the names in a policy when the policy was
   * created. As a separate expression, the text names schemas and types that the role may not use. In this case the
   * role `authenticated` evaluates the expression, if the result cannot depend on the role. Returns null if neither
   * role can.
   */
  #asker(role: ChapterRole, text: string, fields: readonly FieldFact[], readsRelations: boolean): string | null {
    const schemas = this.#look.facts.schemas.map(({ name }) => name);
    const named = schemas.filter((schema) => text.includes(`${sqlName(schema)}.`));
    const { privileges } = this.#access;
    const reaches = (oid: number) =>
      named.every((schema) => privileges.usesSchema(oid, schema)) &&
      fields.every(({ type, type_oid }) => {
        return privileges.schemaShut(oid, type) === null && privileges.refusedChecks(oid, type_oid).length === 0;
      });
    if (reaches(role.caller.oid)) return role.fact.name;
    const member = privileges.membership.named('authenticated');
    const isOfRole = readsRelations || /\b(CURRENT_USER|CURRENT_ROLE|SESSION_USER)\b/.test(text);
    return member && !isOfRole && reaches(member.oid) ? member.name : null;
  }

  #isGiven(operation: RowOperation, field: FieldFact): boolean {
    return isSettable(field) && !this.#computed.has(`${operation} ${field.relation} ${field.number}`);
  }

  /**
   * Returns false if PostgreSQL calls a function for a value of the field and the role may not execute this function.
   */
  #makes(role: ChapterRole, { type_oid }: FieldFact): boolean {
    return this.#access.privileges.refusedChecks(role.caller.oid, type_oid).length === 0;
  }

  #covered(role: ChapterRole, relation: RelationFact, privilege: TablePrivilege, fields: readonly FieldFact[]) {
    const covered = this.#access.privileges.fields(role.caller.oid, relation, privilege);
    return covered === 'all' ? fields : covered;
  }

  /**
   * Returns the fields by which the probe finds a row: the primary key if the role may read it, otherwise all fields
   * that the role may read.
   */
  #key(relation: RelationFact, readable: readonly FieldFact[]): readonly FieldFact[] {
    const key = primaryKey(this.#look, relation.oid);
    const named = readable.filter((field) => key.includes(field.number));
    return named.length > 0 && named.length === key.length ? named : readable;
  }

  /** Returns a statement on one field that the role's privilege does not cover. */
  #beyond(cell: RoleCell, operation: RowOperation, id: string, fields: readonly FieldFact[]): string[] {
    const field =
      cell.columns &&
      fields.find((one) => !cell.columns?.includes(one.name) && this.#isGiven(operation, one) && one.identity !== 'a');
    if (!field) return [];
    if (operation === 'select') return [`select ${sqlName(field.name)} from ${id} where false`];
    return operation === 'update' ? [`update ${id} set ${sqlName(field.name)} = null where false`] : [];
  }

  /**
   * Returns the fields that an INSERT sets: those that the role may set. If there are none, returns all fields, and
   * PostgreSQL must refuse the statement.
   */
  #toGive(role: ChapterRole, relation: RelationFact): readonly FieldFact[] {
    const fields = this.#access.privileges.fieldsOf.get(relation.oid) ?? [];
    const granted = this.#covered(role, relation, 'INSERT', fields);
    const taking = (granted.length > 0 ? granted : fields).filter((field) => this.#isGiven('insert', field));
    const open = taking.filter((field) => this.#makes(role, field));
    if (taking.length === 0) return fields.filter(isSettable);
    return open.length > 0 ? open : taking;
  }

  #inserts(
    id: string,
    columns: readonly FieldFact[],
    caller: ProbeCaller,
    probed: ProbedRelation,
    plan: (sql: string, row: string, place: number | null) => PlannedAttempt,
  ): PlannedAttempt[] | string {
    if (columns.length === 0) return 'it has no field that a statement may give';
    const over = columns.some((field) => field.identity === 'a') ? ' overriding system value' : '';
    const into = `insert into ${id} (${columns.map((field) => sqlName(field.name)).join(', ')})${over}`;
    const rows = newRows(probed, caller);
    if (rows.length === 0) {
      return [
        plan(`${into} select ${columns.map((field) => typed(null, field)).join(', ')} where false`, NO_ROW, null),
      ];
    }
    return rows.map(({ row, name }, place) => {
      const values = columns.map((field) => typed(row.get(field.name) ?? null, field));
      return plan(`${into} values (${values.join(', ')})`, name, place);
    });
  }

  #named(row: Row, caller: ProbeCaller, probed: ProbedRelation, key: readonly FieldFact[]): string {
    const short = key
      .slice(0, 2)
      .map((field) => `${field.name} ${(row.get(field.name) ?? 'null').slice(0, SHOWN_CHARACTERS)}`);
    return `${whose(row, caller, probed.owners)} (${short.join(', ')})`;
  }
}

/**
 * Returns a SELECT that finds the row if the operation would reach it. The SELECT locks rows for an UPDATE, because
 * PostgreSQL then applies the policies for UPDATE too. A DELETE that reads fields must pass the select policies too.
 */
function reachOf({ relation, isRuled }: ProbedRelation, operation: RowOperation, row: string): string | null {
  if (isRuled || (relation.kind !== 'r' && relation.kind !== 'p')) return null;
  if (operation === 'update') return `select from ${row} for no key update`;
  return operation === 'delete' ? `select from ${row}` : null;
}

const sqlConnectives = {
  or: (conditions: readonly string[]) => `(${conditions.join(' or ')})`,
  and: (conditions: readonly string[]) => conditions.join(' and '),
  none: 'false',
};

/**
 * Returns the statement in the form that calls use: the write is in WITH, and returns a row for each written row, so
 * that they can be counted.
 */
const asCall = (sql: string): string => `with written as (${sql} returning 1) select from written`;

/**
 * Returns false if the expression certainly does not read the field: it contains neither the name of the field nor the
 * whole row.
 */
const isNamed = (text: string, { name }: FieldFact): boolean =>
  name.includes('"') || text.includes(name) || text.includes('*');

/**
 * Returns the rows that a caller tries to insert. If fields contain a member's id, these are a row of the caller and a
 * row of another member. Otherwise it is one row.
 */
export function newRows(probed: ProbedRelation, caller: ProbeCaller): { row: Row; name: string }[] {
  const { newRow, owners } = probed;
  if (!newRow) return [];
  if (owners.length === 0) return [{ row: newRow, name: 'a new row' }];
  const of = (id: string): Row => new Map([...newRow, ...owners.map((name) => [name, id] as const)]);
  const others = { row: newRow, name: `a new row, ${whose(newRow, caller, owners)}` };
  return caller.userId === null ? [others] : [{ row: of(caller.userId), name: 'a new row of one’s own' }, others];
}

function whose(row: Row, caller: ProbeCaller, owners: readonly string[]): string {
  if (owners.length === 0) return 'a row';
  const values = owners.map((name) => row.get(name) ?? null);
  if (caller.userId !== null && values.includes(caller.userId)) return 'own row';
  return values.every((value) => value === null) ? 'nobody’s row' : 'another member’s row';
}

/** How much of each relation and each cell the probe tests. */
export interface SampleSize {
  /**
   * `rows`: the number of rows of an entity that the probe reads. `read`: how many of them each member tries to read.
   * `written`: how many of them each member tries to change and to delete.
   */
  rows: number;
  read: number;
  written: number;
  /** Maximum number of members who try each cell. */
  members: number;
}
