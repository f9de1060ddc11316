import type { Transaction } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson, plain, type Statement } from '../database/statement.ts';
import { QUERY_CANCELED, SavepointRunner } from './rolled-back.ts';

/** Characters of PostgreSQL’s message that a reason contains. */
const MESSAGE_CHARACTERS = 500;

/** A statement that the probe runs as a role with claims. */
export interface Attempt {
  /** The database role. */
  role: string;
  /** The claims of the caller, as JSON. */
  claims: string;
  /** SQL that runs before the statement as the service role. It is rolled back together with the statement. */
  setup?: string;
  sql: string;
  /**
   * The result to return: `rows` returns the number of affected rows, `value` the first value. The effects of an
   * attempt of kind `keep` are not rolled back, because later attempts need them.
   */
  kind: 'rows' | 'value' | 'keep';
  /** True for a statement that runs in a read-only transaction, as a GET does. */
  isRead?: boolean;
  /**
   * A name that alternative attempts share. After the first attempt that succeeds, the remaining ones are skipped and
   * count as if they had changed nothing.
   */
  insteadOf?: string;
}

/** The response of PostgreSQL to an attempt. */
export type AttemptResult =
  | { rows: number; value: string | null }
  | {
      sqlstate: string;
      message: string;
      /** True if a function that the statement called raised the error. */
      within: boolean;
    };

/** Returns true if PostgreSQL refused the attempt. */
export const isError = (answer: AttemptResult): answer is Extract<AttemptResult, { sqlstate: string }> =>
  'sqlstate' in answer;

/** The SQLSTATE that the block raises to roll an attempt back. */
const TAKE_BACK = 'NF999';

/**
 * Runs all attempts in one statement, which keeps the use of the connection short. Each attempt has its own
 * subtransaction, which is rolled back, so attempts do not see one another and leave no data. The block runs as the
 * login role, without further privileges. PostgreSQL compiles the block for each run, so each expression costs time:
 * settings are set by assignments, which need no executor.
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

/** The result of an attempt that the probe had no time for. */
const late: AttemptResult = { sqlstate: QUERY_CANCELED, message: 'it takes too long to be tried', within: true };

/**
 * Runs the attempts and returns the result of each. If PostgreSQL cancels the statement, the attempts are run in halves
 * to find the slow ones. Slow attempts, and attempts after the deadline, have the SQLSTATE 57014.
 * @param deadline Milliseconds of performance.now().
 * @throws ConnectionError
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
  const runner = new SavepointRunner(tx, null);
  if (first && isAlone && first.kind === 'value' && first.setup === undefined) return [await ask(runner, first)];
  const results = await runner.try([
    prepared(`select pg_catalog.set_config('ninefold.probe', $1, true) is null`, JSON.stringify(attempts)),
    plain(BLOCK),
    prepared(`select pg_catalog.current_setting('ninefold.probe')`),
  ]);
  if (!(results instanceof DatabaseError)) return (results[2] && firstJson<AttemptResult[]>(results[2])) ?? [];
  if (isAlone) return [refusal(results)];
  const middle = Math.ceil(attempts.length / 2);
  const before = await tryAll(tx, attempts.slice(0, middle), deadline);
  return [...before, ...(await tryAll(tx, attempts.slice(middle), deadline))];
}

/** Runs one attempt of kind `value` without the block, which costs several times as much. */
async function ask(runner: SavepointRunner, { role, claims, sql }: Attempt): Promise<AttemptResult> {
  const results = await runner.tryAndRollBack([
    prepared(
      `select pg_catalog.set_config('request.jwt.claims', $1, true), pg_catalog.set_config('role', $2, true)`,
      claims,
      role,
    ),
    plain(sql),
  ]);
  if (results instanceof DatabaseError) return refusal(results);
  const [, result] = results;
  return { rows: result?.rowCount ?? 0, value: result?.rows[0]?.[0]?.toString('utf8') ?? null };
}

function refusal({ sqlstate, message, fields }: DatabaseError): AttemptResult {
  if (sqlstate === QUERY_CANCELED) return late;
  return {
    sqlstate,
    message: message.slice(0, MESSAGE_CHARACTERS),
    within: /function (?!inline_code_block)/.test(fields.where ?? ''),
  };
}
