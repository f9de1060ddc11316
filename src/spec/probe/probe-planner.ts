import type { ProbeTry } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import type { FieldFact, RelationFact } from '../../catalog/entities.ts';
import { relationsRead } from '../../sql-reader/condition.ts';
import type { Access } from '../access/access.ts';
import type { ChapterRole } from '../access/calling-roles.ts';
import type { RowOperation } from '../access/policies.ts';
import { isSettable } from '../access/privileges.ts';
import type { Lookup } from '../lookup.ts';
import { entityId, sqlName } from '../names.ts';
import type { Attempt, AttemptResult } from './attempts.ts';
import { isError } from './attempts.ts';
import { asRelation, baseOf, found, type Row, typed } from './literals.ts';
import type { ProbeCaller } from './probe-callers.ts';

/** One try of a cell: the statement, and what is to be made of its answer. */
export interface PlannedAttempt {
  attempt: Attempt;
  caller: ProbeCaller;
  row: string;
  /** Which of the cell's rows it is about, for what the conditions come to; null for none in particular. */
  place: number | null;
  /** The number of the field that an UPDATE sets; null for other statements. */
  field: number | null;
  /** A field that the grant leaves out: it must be refused. */
  beyond: boolean;
  /** It touches no row: PostgreSQL only says whether it refuses. */
  asks: boolean;
  /** Finds the row where the person's rights reach it for this operation, and sets off no trigger; null where nothing does. */
  reach: string | null;
}

/** What is known of a relation before its cells are tried. */
export interface ProbedRelation {
  relation: RelationFact;
  rows: readonly Row[];
  /** Rows to be added: one of the person's own where fields hold the member, else like one that is there. */
  newRow: Row | null;
  /** The fields that hold the member. */
  owners: readonly string[];
  /** True where `rows` are all that there are. */
  isWhole: boolean;
  /** It has rewrite rules, or what is beneath it: what PostgreSQL makes of a write hangs on how calls write. */
  isRuled: boolean;
}

const reads = { select: 'SELECT', insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

/** What a try is about that no condition on rows narrows. */
export const ALL_ROWS = 'all rows';

/** What a try is about that touches none. */
export const NO_ROW = 'no row';

/** What a try is about that asks for a row of whichever there are, without a field of it. */
const ANY_ROW = 'any row';

/** Plans the tries of cells. Pure. */
export class ProbePlanner {
  readonly #access: Access;
  readonly #look: Lookup;
  readonly #computed: ReadonlySet<string>;
  readonly #breadth: Pick<SampleSize, 'read' | 'written'>;

  /**
   * `computed` are the fields of views that a statement may not give, as `insert` or `update`, relation and number; `breadth`, how many rows each person tries.
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
   * The statements of a cell for one person; a text says why there can be none. Which field an UPDATE sets is its `turn`: what
   * stops one change need not stop another.
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
    const given = operation === 'delete' ? fields : this.#covered(role, probed.relation, reads[operation], fields);
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
    // A cell that claims nothing may be done is tried as if the grants were there.
    const usable = readable.length > 0 ? readable : operation === 'select' ? fields : [];
    const statement = (row: Row | null): string | null => {
      if (operation === 'select') return `select ${usable.map((field) => sqlName(field.name)).join(', ')} from ${id}`;
      if (operation === 'delete') return `delete from ${id}`;
      return set ? `update ${id} set ${sqlName(set.name)} = ${typed(row?.get(set.name) ?? null, set)}` : null;
    };
    if (statement(null) === null) return 'it has no field that a statement may change';
    if (operation === 'select' && usable.length === 0) return [plan(`select from ${id} limit 1`, ANY_ROW, null)];
    const key = this.#key(probed.relation, usable);
    // A read of nothing is begun all the same: a view that holds nothing yet refuses it, which PostgreSQL does not find out of `where false`.
    const ofNone = `${statement(null)} ${operation === 'select' ? 'limit 0' : 'where false'}`;
    if (probed.rows.length === 0) return [plan(ofNone, NO_ROW, null)];
    const beyond = this.#beyond(cell, operation, id, fields).map((sql) =>
      plan(sql, 'a field beyond the grant', null, true),
    );
    if (key.length === 0) {
      // Rows that cannot be told apart are reached all at once: not where there are many.
      if (!probed.isWhole) return [plan(ofNone, NO_ROW, null), ...beyond];
      return [plan(statement(probed.rows[0] ?? null) ?? '', ALL_ROWS, null), ...beyond];
    }
    const rows = probed.rows.slice(0, operation === 'select' ? this.#breadth.read : this.#breadth.written);
    // What a view computes may differ from reader to reader, so that nobody finds a row as another one sees it.
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
   * Which rows the policies let through for a person, as SQL that answers a list, and the role that may ask it; null where none
   * bind, or where nobody may ask. `reads`: the statement
   * reads a field, and so must pass those for select, too.
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
    const security = (asked: RowOperation) => this.#access.policies.rows(role.caller.oid, relation, asked);
    const first = security(operation);
    if (!first.bound || (relation.kind !== 'r' && relation.kind !== 'p')) return null;
    const parts: string[] = [];
    const add = (asked: RowOperation, which: 'using' | 'check') => {
      const rules = security(asked);
      if (!rules.bound) return;
      const texts = rules.policies.flatMap((policy) => {
        const text = which === 'using' ? policy.using : (policy.check ?? policy.using);
        return text === null ? [] : [{ text: `(${text})`, permissive: policy.permissive }];
      });
      const some = texts.filter((one) => one.permissive).map((one) => one.text);
      parts.push(`(${some.length > 0 ? some.join(' or ') : 'false'})`);
      parts.push(...texts.filter((one) => !one.permissive).map((one) => one.text));
    };
    if (operation !== 'insert') add(operation, 'using');
    if (operation === 'insert' || operation === 'update') add(operation, 'check');
    if (reads && (operation === 'update' || operation === 'delete')) add('select', 'using');
    // Of operations with the same policies the same is asked.
    const text = [...new Set(parts)].join(' and ');
    // As values of what domains are of: their rules are no question here.
    const fields = (this.#access.privileges.fieldsOf.get(relation.oid) ?? [])
      .filter((field) => isNamed(text, field))
      .map((field) => {
        const { type, oid } = baseOf(field, this.#look.types);
        return { ...field, type, type_oid: oid };
      });
    const asker = this.#asker(role, text, fields);
    if (asker === null) return null;
    const given = operation === 'insert' ? new Set(this.#toGive(role, relation).map((field) => field.name)) : null;
    const list = asRelation(rows, fields, relation.name, given);
    const sql = `select pg_catalog.json_agg(coalesce((${text}), false) order by ninefold_place) from ${list}`;
    return { sql, role: asker };
  }

  /**
   * A policy's names were looked up when it was made; by itself its text names schemas that the role may have no right to, and so do the
   * types of the values that it is asked of. Then a member asks in its place, where the answer cannot depend on the role.
   */
  #asker(role: ChapterRole, text: string, fields: readonly FieldFact[]): string | null {
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
    const isOfRole = relationsRead(text).length > 0 || /\b(CURRENT_USER|CURRENT_ROLE|SESSION_USER)\b/.test(text);
    return member && !isOfRole && reaches(member.oid) ? member.name : null;
  }

  #isGiven(operation: RowOperation, field: FieldFact): boolean {
    return isSettable(field) && !this.#computed.has(`${operation} ${field.relation} ${field.number}`);
  }

  /** False where PostgreSQL calls, for a value of the field, what the role may not execute. */
  #makes(role: ChapterRole, { type_oid }: FieldFact): boolean {
    return this.#access.privileges.refusedChecks(role.caller.oid, type_oid).length === 0;
  }

  #covered(
    role: ChapterRole,
    relation: RelationFact,
    privilege: (typeof reads)[RowOperation],
    fields: readonly FieldFact[],
  ) {
    const covered = this.#access.privileges.fields(role.caller.oid, relation, privilege);
    return covered === 'all' ? fields : covered;
  }

  /** The fields by which a row is found: those of the primary key, else all. */
  #key(relation: RelationFact, readable: readonly FieldFact[]): readonly FieldFact[] {
    const key = this.#look.primaryKey(relation.oid);
    const named = readable.filter((field) => key.includes(field.number));
    return named.length > 0 && named.length === key.length ? named : readable;
  }

  /** A statement on one field that the role's grant leaves out. */
  #beyond(cell: RoleCell, operation: RowOperation, id: string, fields: readonly FieldFact[]): string[] {
    const field =
      cell.columns &&
      fields.find((one) => !cell.columns?.includes(one.name) && this.#isGiven(operation, one) && one.identity !== 'a');
    if (!field) return [];
    if (operation === 'select') return [`select ${sqlName(field.name)} from ${id} where false`];
    return operation === 'update' ? [`update ${id} set ${sqlName(field.name)} = null where false`] : [];
  }

  /** The fields that an INSERT gives: those that the role may give; where that is none, all that there are, to be refused. */
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
    const short = key.slice(0, 2).map((field) => `${field.name} ${(row.get(field.name) ?? 'null').slice(0, 40)}`);
    return `${whose(row, caller, probed.owners)} (${short.join(', ')})`;
  }
}

/** PostgreSQL asks the policies for UPDATE of what a SELECT locks; of what is to be deleted, those for SELECT are a part of what it asks. */
function reachOf({ relation, isRuled }: ProbedRelation, operation: RowOperation, row: string): string | null {
  if (isRuled || (relation.kind !== 'r' && relation.kind !== 'p')) return null;
  if (operation === 'update') return `select from ${row} for no key update`;
  return operation === 'delete' ? `select from ${row}` : null;
}

/** As calls write: with a row for each that is written, to count them. */
const asCall = (sql: string): string => `with written as (${sql} returning 1) select from written`;

/** False of a field that an expression surely does not read, neither by name nor with the whole row. */
const isNamed = (text: string, { name }: FieldFact): boolean =>
  name.includes('"') || text.includes(name) || text.includes('*');

/** The rows that a person tries to add: one of one's own and one of another's where fields hold the member, else one. */
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

/** insufficient_privilege, infinite recursion, what a view does not take (55000, 42809, 0A000), its check option (44000), a publication that does not fit (42P10), no such role, a lock in a transaction that only reads (25006). */
const refusals = new Set(['42501', '42P17', '55000', '42809', '0A000', '44000', '42P10', '22023', '25006']);

/** What became of a statement. A rule that is broken was asked after the rights, so the row would have been let through. */
export function resultOf(answer: AttemptResult, operation: RoleCell['operation'], beforeRow: boolean): ProbeTry['met'] {
  if (!isError(answer)) {
    if (answer.rows > 0) return 'allowed';
    return beforeRow ? 'stopped' : 'hidden';
  }
  const { sqlstate, within } = answer;
  if (!within && refusals.has(sqlstate)) return 'refused';
  if (
    !within &&
    sqlstate.startsWith('23') &&
    (operation === 'insert' || operation === 'update' || operation === 'delete')
  ) {
    return 'allowed';
  }
  return 'stopped';
}

/** How much of each cell is tried. */
export interface SampleSize {
  /** Rows that are looked at of an entity; of these, how many each member tries to read, and how many to change and to delete. */
  rows: number;
  read: number;
  written: number;
  /** Members who try each cell, at most. */
  members: number;
}
