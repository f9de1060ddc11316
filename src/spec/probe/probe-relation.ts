import { limits } from '../../../contract/limits.ts';
import type { ProbedCell } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { type Attempt, type AttemptResult, isError, tryAll } from '../../access/attempts.ts';
import type { ChapterRole } from '../../access/calling-roles.ts';
import type { RowOperation } from '../../access/operations.ts';
import { outcomeOf } from '../../access/refusals.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { entityId, sqlName } from '../../catalog/names.ts';
import type { Transaction } from '../../database/database.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { evaluateCell, notProbed, type Tried, untriedWords } from './evaluate-cell.ts';
import { asText, type Row } from './literals.ts';
import { type Member, stranger, syntheticMembers } from './members.ts';
import { probeCallers } from './probe-callers.ts';
import type { ProbeContext } from './probe-context.ts';
import { ALL_ROWS, newRows, type PlannedAttempt, type ProbedRelation } from './probe-planner.ts';

const asRole = (role: string, sql: string, kind: Attempt['kind']): Attempt => ({
  role,
  claims: JSON.stringify({ role }),
  sql,
  kind,
});
const asService = (sql: string, kind: Attempt['kind']): Attempt => asRole('service_role', sql, kind);

/** Tests the cells of one relation in a transaction that the caller rolls back. */
export async function probeRelation(
  context: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  cells: readonly RoleCell[],
  deadline: number,
): Promise<ProbedCell[]> {
  const { effects, roles, planner } = context;
  const barred = new Map<RoleCell, string>();
  for (const cell of cells) {
    const why = effects.of(relation, cell.operation as RowOperation);
    const role = roles.find((one) => one.name === cell.role);
    const untried =
      role?.barred === null ? context.requests.relation(role, relation, cell.operation as RowOperation).untried : null;
    if (untried === 'request') barred.set(cell, untriedWords(untried, cell));
    else if (why !== null) barred.set(cell, `not tried: ${why}`);
    else if (untried !== null) barred.set(cell, untriedWords(untried, cell));
  }
  const { probed, concerned, seeded, trouble } = await prepareRelation(
    context,
    tx,
    relation,
    readerOf(context, relation),
    deadline,
  );
  const planned: {
    cell: RoleCell;
    tries: PlannedAttempt[];
    conditions: { attempt: Attempt; at: number }[];
    note: string | null;
  }[] = [];
  const attempts: Attempt[] = [];
  const push = (attempt: Attempt): number => attempts.push(attempt) - 1;
  // Equal questions have equal results, so each is asked once.
  const questions = new Map<string, number>();
  const ask = (attempt: Attempt): number => {
    const question = JSON.stringify(attempt);
    const at = questions.get(question) ?? push(attempt);
    questions.set(question, at);
    return at;
  };
  const places = new Map<PlannedAttempt, number>();
  const asked = new Map<PlannedAttempt, number>();
  for (const cell of cells) {
    const role = roles.find((one) => one.name === cell.role);
    if (!role || barred.has(cell)) continue;
    const entry = { cell, tries: [] as PlannedAttempt[], conditions: [], note: null as string | null };
    planned.push(entry);
    for (const caller of probeCallers(role, context.accounts, concerned, seeded, context.sampleSize.members)) {
      const plans = planner.plan(cell, role, caller, probed);
      if (typeof plans === 'string') {
        entry.note = probed.rows.length === 0 && trouble !== null ? `${plans}: ${trouble}` : plans;
        continue;
      }
      const rows = cell.operation === 'insert' ? newRows(probed, caller).map(({ row }) => row) : probed.rows;
      const ofRows = plans.some((plan) => plan.place !== null || plan.row === ALL_ROWS);
      const reads = !plans.some((plan) => plan.row === ALL_ROWS);
      const asking = cell.verdict === 'when' && ofRows ? planner.condition(cell, role, probed, rows, reads) : null;
      const [first] = plans;
      const condition = asking && first ? ask({ ...first.attempt, ...asking, kind: 'value' }) : null;
      for (const plan of plans) {
        entry.tries.push(plan);
        places.set(plan, push(plan.attempt));
        if (condition !== null) asked.set(plan, condition);
      }
    }
  }
  const answers = await tryAll(tx, attempts, deadline);
  const made = planned.flatMap(({ cell, tries: plans }) =>
    plans.map((plan) => ({ cell, plan, at: places.get(plan) ?? -1 })),
  );
  const unreached = await findUnreached(context, tx, relation, made, answers, deadline);
  await tryOtherFields(
    context,
    tx,
    probed,
    made.filter(({ plan }) => !unreached.has(plan)),
    answers,
    deadline,
  );
  const callsLate = context.facts.write_functions.some((call) => call.relation === relation.oid && call.by === 'index');
  const results = new Map(
    planned.map(({ cell, tries: plans, note }) => {
      const tried = plans.map((plan): Tried => {
        const answer = answers[places.get(plan) ?? -1] ?? {
          sqlstate: '',
          message: 'there was no answer',
          within: true,
        };
        const isBound = tableBinds(context, relation, cell);
        const condition = asked.get(plan);
        const isOfRows = plan.place !== null || plan.row === ALL_ROWS;
        const unasked = isBound ? null : unbound(relation, cell);
        const passes = condition === undefined ? unasked : passesAt(answers[condition], plan.place);
        return {
          planned: plan,
          answer,
          passes: isOfRows ? passes : null,
          isSettled: !isBound && relation.kind !== 'v',
          beforeRow: !unreached.has(plan) && effects.changesRows(relation, cell.operation as RowOperation, plan.field),
          callsLate,
        };
      });
      return [cell, evaluateCell(cell, tried, note, trouble)];
    }),
  );
  return cells.map((cell) => results.get(cell) ?? notProbed(cell, barred.get(cell) ?? 'no such role'));
}

interface Made {
  cell: RoleCell;
  plan: PlannedAttempt;
  /** The index of its result. */
  at: number;
}

/**
 * Returns the attempts that changed nothing because the caller cannot reach the row. No trigger ran that could have
 * skipped the row.
 */
async function findUnreached(
  { effects }: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  made: readonly Made[],
  answers: readonly AttemptResult[],
  deadline: number,
): Promise<ReadonlySet<PlannedAttempt>> {
  const looks = made.flatMap(({ cell, plan, at }) => {
    const answer = answers[at];
    if (!answer || isError(answer) || answer.rows > 0 || plan.reach === null) return [];
    if (!effects.changesRows(relation, cell.operation as RowOperation, plan.field)) return [];
    return [{ plan, attempt: { ...plan.attempt, sql: plan.reach } }];
  });
  const found = await tryAll(
    tx,
    looks.map(({ attempt }) => attempt),
    deadline,
  );
  const isNone = (answer: AttemptResult | undefined) => answer && !isError(answer) && answer.rows === 0;
  return new Set(looks.flatMap(({ plan }, i) => (isNone(found[i]) ? [plan] : [])));
}

/**
 * Repeats stopped updates with other fields, because a trigger that refuses a change of one field may accept another.
 * The first attempt that is not stopped replaces the attempt and its result in `answers`.
 */
async function tryOtherFields(
  { roles, planner, effects }: ProbeContext,
  tx: Transaction,
  probed: ProbedRelation,
  made: readonly Made[],
  answers: AttemptResult[],
  deadline: number,
): Promise<void> {
  const isStopped = ({ field }: PlannedAttempt, answer: AttemptResult): boolean =>
    outcomeOf(answer, 'update', effects.changesRows(probed.relation, 'update', field)) === 'stopped';
  const others = made.flatMap(({ cell, plan, at }) => {
    const role = roles.find((one) => one.name === cell.role);
    const answer = answers[at];
    const isOfOne = cell.operation === 'update' && (plan.place !== null || plan.row === ALL_ROWS);
    if (!role || !answer || !isOfOne || !isStopped(plan, answer)) return [];
    return Array.from({ length: limits.probeOtherFields.default }, (_, i) => {
      const plans = planner.plan(cell, role, plan.caller, probed, i + 1);
      const same =
        typeof plans === 'string' ? undefined : plans.find((one) => one.place === plan.place && one.row === plan.row);
      return same ? [{ plan, at, other: same }] : [];
    }).flat();
  });
  const found = await tryAll(
    tx,
    others.map(({ other }) => other.attempt),
    deadline,
  );
  const settled = new Set<number>();
  for (const [i, { plan, at, other }] of others.entries()) {
    const answer = found[i];
    if (!answer || settled.has(at) || isStopped(other, answer)) continue;
    settled.add(at);
    plan.attempt = other.attempt;
    plan.field = other.field;
    answers[at] = answer;
  }
}

/** Returns true if row-level security limits the rows of the cell. */
function tableBinds({ access, roles }: ProbeContext, relation: RelationFact, cell: RoleCell): boolean {
  const role = roles.find((one) => one.name === cell.role);
  return role !== undefined && access.policies.rows(role.caller.oid, relation, cell.operation as RowOperation).bound;
}

/**
 * Returns true if every row passes because row-level security does not apply to the table. Returns null for views and
 * for operations with rewrite rules, where the probe does not know the conditions.
 */
const unbound = (relation: RelationFact, { operation }: RoleCell): true | null =>
  relation.kind === 'v' || relation.replaced.some((replaced) => replaced === operation) ? null : true;

/**
 * Returns whether the conditions accept the row at `place`. Without a place, returns the common result of all rows;
 * null if their results differ.
 */
function passesAt(answer: AttemptResult | undefined, place: number | null): boolean | null {
  if (!answer) return null;
  // If PostgreSQL refuses the condition alone, it also refuses the statement.
  if (isError(answer)) return answer.within ? null : false;
  const list = answer.value === null ? [] : (JSON.parse(answer.value) as boolean[]);
  if (place !== null) return list[place] ?? null;
  return list.every((passes) => passes === list[0]) ? (list[0] ?? null) : null;
}

interface Setting {
  probed: ProbedRelation;
  concerned: Member[];
  seeded: boolean;
  /** The reason why there are no rows; null if there are rows or none were needed. */
  trouble: string | null;
}

/**
 * Returns a role that may read every row: the service role if it may, otherwise another role. Returns the service role
 * if no role may.
 */
function readerOf({ access, roles }: ProbeContext, relation: RelationFact): string {
  const isOpen = ({ barred, caller }: ChapterRole): boolean =>
    barred === null && caller.memberRole === null && access.decide(caller, relation, 'select').verdict === 'always';
  const service = roles.filter(({ name }) => name === 'service_role');
  return (service.find(isOpen) ?? roles.find(isOpen))?.name ?? 'service_role';
}

/** Reads some rows, creates rows if there are none, and finds the members that the rows refer to. */
async function prepareRelation(
  context: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  reader: string,
  deadline: number,
): Promise<Setting> {
  const { access, accounts, effects, testRows, users, sampleSize } = context;
  const owners = context.ownersOf(relation);
  const holding = context.memberFieldsOf(relation);
  const isOwn = (one: { schema: string; name: string }) => one.schema === relation.schema && one.name === relation.name;
  const fields = access.privileges.fieldsOf.get(relation.oid) ?? [];
  const names = fields.map((field) => field.name);
  const sample = asRole(reader, sampleSql(relation, names, sampleSize.rows), 'value');
  const elsewhere = holding.filter((one) => !isOwn(one));
  const looks = elsewhere.map(({ schema, name, field }) =>
    asService(
      `select pg_catalog.json_agg(distinct ids.id) from (select ${sqlName(field)}::text as id from ${entityId(schema, name)} where ${sqlName(field)} is not null limit 3) as ids`,
      'value',
    ),
  );
  // If the app has no accounts, the probe creates some in its transaction.
  const isEmpty = accounts.members.length === 0 && users !== null;
  const unseeded = isEmpty ? effects.of(users, 'insert') : null;
  const seed = isEmpty && unseeded === null;
  const seeds = seed ? syntheticMembers.map(seedAccount) : [];
  const reading = effects.of(relation, 'select');
  const first = await tryAll(tx, [...seeds, ...(reading === null ? [sample] : []), ...looks], deadline);
  const seeded = seed && first.slice(0, seeds.length).every((answer) => !isError(answer));
  let read = reading === null ? rowsIn(first[seeds.length], names) : [];
  let trouble = reading ?? errorIn(first[seeds.length]);
  const tables = relation.kind === 'v' ? context.baseRelations(relation) : [relation];
  if (read.length === 0 && trouble === null && tables.length > 0) {
    const statements = testRows.statements(tables, (table) => context.ownersOf(table), relation.kind === 'v');
    const touched = new Set([...tables, ...statements.map((one) => one.relation)]);
    const barredBy = [...touched].map((table) => effects.of(table, 'insert')).find((why) => why !== null) ?? null;
    if (barredBy === null) {
      const making = statements.map(({ sql, insteadOf }) => ({ ...asService(sql, 'keep'), insteadOf }));
      const answers = await tryAll(tx, [...making, sample], deadline);
      read = rowsIn(answers[making.length], names);
      trouble = errorIn(answers[making.length]) ?? firstFailure(making, answers);
      if (trouble !== null && unseeded !== null) trouble = `${trouble}; the app has no account, and ${unseeded}`;
    } else trouble = barredBy;
  }
  // The sample has one row more than the probe tests, which shows whether these are all rows.
  const rows = read.slice(0, sampleSize.rows);
  const ids = [
    ...rows.flatMap((row) => owners.map((name) => row.get(name) ?? null)),
    ...looks.flatMap((_, i) => idsIn(first[first.length - looks.length + i])),
  ];
  const known = new Map(accounts.members.map((member) => [member.id, member]));
  const concerned = [...new Set(ids.filter((id) => id !== null && UUID.test(id)))].map(
    (id) => known.get(id ?? '') ?? stranger(id ?? ''),
  );
  const [pattern] = rows;
  const newRow = pattern ? context.asNew(relation, pattern) : null;
  return {
    probed: {
      relation,
      rows,
      newRow,
      owners,
      isWhole: read.length <= sampleSize.rows,
      isRuled: isRuled(context, relation),
    },
    concerned,
    seeded,
    trouble,
  };
}

const isRuled = (context: ProbeContext, relation: RelationFact): boolean =>
  [relation, ...(relation.kind === 'v' ? context.baseRelations(relation) : [])].some(
    (one) => one.rewrite_rules !== null,
  );

/** Returns the error of the first row that no alternative could create; null if all succeeded. */
function firstFailure(making: readonly Attempt[], answers: readonly AttemptResult[]): string | null {
  const made = new Set(making.filter((_, i) => errorIn(answers[i]) === null).map(({ insteadOf }) => insteadOf));
  const at = making.findIndex(({ insteadOf }) => !made.has(insteadOf));
  return errorIn(answers[at]);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const sampleSql = (relation: RelationFact, names: readonly string[], rows: number): string => {
  const values = names.map((name) => asText(`r.${sqlName(name)}`));
  const from = `${entityId(relation.schema, relation.name)} r limit ${rows + 1}`;
  return `select pg_catalog.json_agg(s.v) from (select array[${values.join(', ')}]::pg_catalog.text[] as v from ${from}) s`;
};

function rowsIn(answer: AttemptResult | undefined, names: readonly string[]): Row[] {
  if (!answer || isError(answer) || answer.value === null) return [];
  const lists = JSON.parse(answer.value) as (string | null)[][];
  return lists.map((values) => new Map(names.map((name, i) => [name, values[i] ?? null])));
}

const idsIn = (answer: AttemptResult | undefined): string[] =>
  !answer || isError(answer) || answer.value === null ? [] : (JSON.parse(answer.value) as string[]);

const errorIn = (answer: AttemptResult | undefined): string | null =>
  answer && isError(answer) ? answer.message : null;

const seedAccount = (id: string): Attempt => ({
  role: 'supabase_auth_admin',
  claims: '{}',
  sql: `insert into auth.users (instance_id, id, aud, role, email, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
    values ('00000000-0000-0000-0000-000000000000', ${quoteLiteral(id)}, 'authenticated', 'authenticated', '${id}@probe.invalid', '{}', '{}', pg_catalog.now(), pg_catalog.now())`,
  kind: 'keep',
});
