import type { Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, plain, type Statement } from '../../database/statement.ts';

/** One statement, tried as somebody. */
export interface Attempt {
  /** The role of the database. */
  role: string;
  /** The claims of the call, JSON. */
  claims: string;
  /** Runs before it as the service role, and is taken back with it. */
  setup?: string;
  sql: string;
  /** `rows` counts what it reached, `value` answers the first value; `keep` is not taken back, for what later attempts need. */
  kind: 'rows' | 'value' | 'keep';
  /** Runs in a transaction that only reads, as a GET does. */
  isRead?: boolean;
  /** Of attempts of one name in turn, those after the first that succeeds are left out, and answered as if they had changed nothing. */
  insteadOf?: string;
}

/** What PostgreSQL answered. */
export type AttemptResult =
  | { rows: number; value: string | null }
  | {
      sqlstate: string;
      message: string;
      /** The error came from within a function that the statement set off. */
      within: boolean;
    };

export const isError = (answer: AttemptResult): answer is Extract<AttemptResult, { sqlstate: string }> =>
  'sqlstate' in answer;

/** Raised to take back what an attempt did. */
const TAKE_BACK = 'NF999';

/**
 * All attempts in one statement: each in a subtransaction of its own, which is taken back, so that they neither see one another
 * nor leave anything, and a connection is held for as short as can be. Runs as the login role, with no more rights than it has.
 * The block is compiled for each run of it, so each expression costs: settings are made by assignments, which no executor runs.
 */
const BLOCK = `do $ninefold_probe$
declare
  attempt record;
  answers pg_catalog.json[] := '{}';
  done pg_catalog.text[] := '{}';
begin
  for attempt in select * from pg_catalog.json_to_recordset(pg_catalog.current_setting('ninefold.probe')::pg_catalog.json) as t(
    role pg_catalog.text, claims pg_catalog.text, setup pg_catalog.text, sql pg_catalog.text, kind pg_catalog.text,
    "isRead" pg_catalog.bool, "insteadOf" pg_catalog.text)
  loop
    declare
      reached pg_catalog.int8;
      answer pg_catalog.text;
      state pg_catalog.text;
      said pg_catalog.text;
      trace pg_catalog.text;
    begin
      if attempt."insteadOf" = any (done) then
        answers := pg_catalog.array_append(answers, '{"rows": 0, "value": null}');
        continue;
      end if;
      begin
        if attempt.setup is not null then
          said := pg_catalog.set_config('role', 'service_role', true);
          execute attempt.setup;
        end if;
        said := pg_catalog.set_config('request.jwt.claims', attempt.claims, true) || pg_catalog.set_config('role', attempt.role, true);
        if attempt."isRead" then
          said := pg_catalog.set_config('transaction_read_only', 'on', true);
        end if;
        if attempt.kind = 'value' then
          execute attempt.sql into answer;
        else
          execute attempt.sql;
        end if;
        get diagnostics reached = row_count;
        if attempt.kind <> 'keep' then
          raise exception using errcode = '${TAKE_BACK}';
        end if;
        done := done || attempt."insteadOf";
      exception when others then
        get stacked diagnostics state = returned_sqlstate, said = message_text, trace = pg_exception_context;
      end;
      answers := pg_catalog.array_append(answers, case when state <> '${TAKE_BACK}'
        then pg_catalog.json_build_object('sqlstate', state, 'message', pg_catalog.left(said, 500),
          'within', trace ~ 'function (?!inline_code_block)')
        else pg_catalog.json_build_object('rows', reached, 'value', answer) end);
    end;
  end loop;
  perform pg_catalog.set_config('ninefold.probe', pg_catalog.array_to_json(answers)::pg_catalog.text, true);
end
$ninefold_probe$`;

const prepared = (text: string, ...params: string[]): Statement => ({ text, params, planKey: 'the probe' });

const SAVE = prepared('savepoint ninefold_probe');
const TAKE_BACK_ALL = prepared('rollback to savepoint ninefold_probe');

/** What is answered for an attempt that there was no time for. */
const late: AttemptResult = { sqlstate: '57014', message: 'it takes too long to be tried', within: true };

/**
 * Tries statements and answers for each. Those that take too long are found by halving, as long as there is time until `deadline`
 * (milliseconds of performance.now()); their answer is SQLSTATE 57014. Throws ConnectionError.
 */
export async function tryAll(
  tx: Transaction,
  attempts: readonly Attempt[],
  deadline: number,
): Promise<AttemptResult[]> {
  if (attempts.length === 0) return [];
  if (performance.now() > deadline) return attempts.map(() => late);
  const [first] = attempts;
  const isAlone = attempts.length === 1;
  try {
    if (first && isAlone && first.kind === 'value' && first.setup === undefined) return [await ask(tx, first)];
    const results = await tx.run([
      SAVE,
      prepared(`select pg_catalog.set_config('ninefold.probe', $1, true) is null`, JSON.stringify(attempts)),
      plain(BLOCK),
      prepared(`select pg_catalog.current_setting('ninefold.probe')`),
    ]);
    return (results[3] && firstJson<AttemptResult[]>(results[3])) ?? [];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await tx.run([TAKE_BACK_ALL]);
    if (isAlone) return [refusal(error)];
    const middle = Math.ceil(attempts.length / 2);
    const before = await tryAll(tx, attempts.slice(0, middle), deadline);
    return [...before, ...(await tryAll(tx, attempts.slice(middle), deadline))];
  }
}

/** One attempt for a value, without the block, which costs several times as much. Throws DatabaseError, and takes back nothing then. */
async function ask(tx: Transaction, { role, claims, sql }: Attempt): Promise<AttemptResult> {
  const [, , result] = await tx.run([
    SAVE,
    prepared(
      `select pg_catalog.set_config('request.jwt.claims', $1, true), pg_catalog.set_config('role', $2, true)`,
      claims,
      role,
    ),
    plain(sql),
    TAKE_BACK_ALL,
  ]);
  return { rows: result?.rowCount ?? 0, value: result?.rows[0]?.[0]?.toString('utf8') ?? null };
}

function refusal({ sqlstate, message, fields }: DatabaseError): AttemptResult {
  if (sqlstate === '57014') return late;
  return {
    sqlstate,
    message: message.slice(0, 500),
    within: /function (?!inline_code_block)/.test(fields.where ?? ''),
  };
}
