import { z } from 'zod';
import type { SqlResponse } from '../../../contract/admin.ts';
import type { CancelSignal } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { ownerConnection } from '../../apps/app-connections.ts';
import { appMoving, isCurrent } from '../../apps/apps.ts';
import { withPool } from '../../apps/registry/server.ts';
import { registerAuthor } from '../../apps/team/author.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { plannerSettings } from '../../database/startup-settings.ts';
import { plain, type Result, rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { requireTeam } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { json } from '../reply.ts';
import { hostedExtensions } from './hosted-extensions.ts';
import { mayNeedReplacement } from './platform-statements.ts';
import type { DatabaseFacts } from './replacement.ts';
import { type PreparedScript, prepareScript, readFacts, unchangedScript, warningsOf } from './script.ts';
import { failureOf } from './sql-failure.ts';

const runSql = adminCall({
  route: 'POST /apps/:ref/sql',
  least: 'developer',
  audit: { action: 'sql_run', details: ({ sql }) => ({ sql }) },
  summary: "Runs SQL as the app's owner, in one transaction unless the SQL controls transactions itself.",
  returns: 'SqlResponse',
  errors: ['sql_failed', 'sql_too_complex', 'server_for_one_team'],
  body: z.strictObject({
    sql: z
      .string()
      .max(limits.bodyBytes.default)
      .refine((sql) => !sql.includes('\0'), 'holds a NUL character'),
  }),
  handle: async ({ context, caller, request, ref, body }) => {
    requireTeam(context, caller);
    const sql = body.sql.replace(/^\ufeff/, '');
    // Finds the app whatever its state is, so that the owner of an outdated app can fix it with SQL.
    const { record } = await context.apps.find(ref);
    if (record.isMoving) throw appMoving();
    const who = await callerName(context, caller);
    const started = performance.now();
    return withPool(ownerConnection(context.server.target, record), async (pool) => {
      const script = mayNeedReplacement(sql) ? prepareScript(sql, await readFacts(pool, [sql])) : unchangedScript(sql);
      const isReplaced = script.text !== sql;
      // The journal of an outdated app may lack the tables and privileges with which the author is recorded.
      if (isCurrent(record))
        await registerAuthor(context.server, record, pool, { name: who, ...(isReplaced && { statement: sql }) });
      const answered = await runScript(pool, script, request.signal);
      // If all statements are skipped, the script that is sent is empty. PostgreSQL returns one result for it, which is
      // not shown.
      const results = script.statements === null ? answered : answered.filter(({ command }) => command !== '');
      const types = await typeNames(pool, results);
      const response: SqlResponse = {
        results: results.map((result, i) => {
          // A replaced statement is shown with the command tag of the original statement and without rows.
          const replaced = script.statements?.[script.sources[i] ?? -1]?.replacement;
          if (replaced) return { command: replaced.tag, columns: [], rows: [], row_count: 0, truncated: false };
          return {
            command: result.command,
            columns: result.fields.map(({ name, typeOid }) => ({ name, type: types.get(typeOid) ?? String(typeOid) })),
            rows: result.rows.map((row) => row.map((value) => value?.toString('utf8') ?? null)),
            row_count: result.rowCount,
            truncated: result.rowCount > result.rows.length,
          };
        }),
        warnings: warningsOf(script, results),
        duration_ms: (results.at(-1)?.at ?? started) - started,
      };
      return json(response);
    });
  },
});

async function runScript(pool: Pool, script: PreparedScript, signal: CancelSignal): Promise<readonly Result[]> {
  try {
    return await pool.script(script.text, {
      setup: [
        {
          text: `select set_config('statement_timeout', $1, false)`,
          params: [String(limits.builderStatementMilliseconds.default)],
        },
      ],
      maxRows: limits.sqlRows.default,
      copies: script.copies,
      signal,
    });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const facts = await readFacts(pool, []).catch(() => unknownFacts);
    const details = failureOf(error, script, facts);
    throw new NinefoldError('sql_failed', { message: error.message, details, cause: error });
  }
}

/** The facts about the database for an error after which the database does not respond. They lead to no advice. */
const unknownFacts: DatabaseFacts = {
  database: '',
  available: new Set(hostedExtensions.keys()),
  platformRelations: new Set(),
  skippedRoles: new Set(),
  databaseRoles: new Set(),
  hasDatabaseRoles: false,
  hasHelpers: false,
};

/** Returns the names of the result columns' types, as PostgreSQL prints them. */
async function typeNames(pool: Pool, results: readonly Result[]): Promise<Map<number, string>> {
  const oids = [...new Set(results.flatMap((result) => result.fields.map((field) => field.typeOid)))];
  if (oids.length === 0) return new Map();
  const [, found] = await pool.run([
    plain(`select ${plannerSettings}`),
    {
      text: 'select t.oid::text as oid, pg_catalog.format_type(t.oid, null) as name from pg_catalog.pg_type t where t.oid = any ($1::oid[])',
      params: [`{${oids.join(',')}}`],
    },
  ]);
  return new Map(found ? rowsAsText(found).map((row) => [Number(row.oid), row.name ?? '']) : []);
}

export const sqlCalls: readonly AdminCall[] = [runSql];
