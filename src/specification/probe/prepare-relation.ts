import { type Attempt, type AttemptResult, isError, tryAll } from '../../access/attempts.ts';
import type { ChapterRole } from '../../access/calling-roles.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { entityId, sqlName } from '../../catalog/names.ts';
import type { Transaction } from '../../database/database.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { asText, type Row } from './literals.ts';
import { type Member, stranger, syntheticMembers } from './members.ts';
import type { ProbeContext } from './probe-context.ts';
import type { ProbedRelation } from './probe-planner.ts';

const asRole = (role: string, sql: string, kind: Attempt['kind']): Attempt => ({
  role,
  claims: JSON.stringify({ role }),
  sql,
  kind,
});
const asService = (sql: string, kind: Attempt['kind']): Attempt => asRole('service_role', sql, kind);

/** A relation with its rows, and the members that the rows refer to. */
export interface PreparedRelation {
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
export async function prepareRelation(
  context: ProbeContext,
  tx: Transaction,
  relation: RelationFact,
  deadline: number,
): Promise<PreparedRelation> {
  const { access, accounts, effects, testRows, users, sampleSize } = context;
  const owners = context.ownersOf(relation);
  const holding = context.memberFieldsOf(relation);
  const isOwn = (one: { schema: string; name: string }) => one.schema === relation.schema && one.name === relation.name;
  const fields = access.privileges.fieldsOf.get(relation.oid) ?? [];
  const names = fields.map((field) => field.name);
  const sample = asRole(readerOf(context, relation), sampleSql(relation, names, sampleSize.rows), 'value');
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
  // The sample contains one row more than the probe tests. This row shows whether the table has rows that are not
  // tested.
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
  [relation, ...(relation.kind === 'v' ? context.baseRelations(relation) : [])].some((one) => context.hasRules(one));

/**
 * Returns the error of the first row that none of its alternative statements could create; null if every row was
 * created.
 */
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
