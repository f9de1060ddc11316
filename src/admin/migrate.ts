import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { MigrateResponse } from '../../contract/admin.ts';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import type { AppRecord } from '../apps/app-record.ts';
import { ownerOf } from '../apps/owner.ts';
import { withPool } from '../apps/server.ts';
import { DatabaseError } from '../database/database-error.ts';
import { rowsAsText } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { line, readBody } from './body.ts';
import type { AdminContext } from './context.ts';
import { json } from './router.ts';
import { failureOf } from './sql.ts';

const sql = z
  .string()
  .max(limits.bodyBytes.default)
  .refine((text) => !text.includes('\0'), 'holds a NUL character');
const schema = z.strictObject({
  files: z.array(z.strictObject({ name: line(200).regex(/^[^/\\]*$/, 'is the name of a file, not a path'), sql })),
  seed: sql.optional(),
});

/** The name under which seed.sql is noted, so that it runs once. */
const SEED = 'seed.sql';

/**
 * POST /apps/:ref/migrations: applies what was not applied yet, in the order of the files, each in a transaction of its own as the
 * app's owner. Throws `app_busy`, `migration_changed`, and `migration_failed`, where the files before the failed one stay applied.
 */
export async function migrate(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const { files, seed } = readBody(exchange, schema);
  const { record } = await context.apps.get(ref);
  const started = performance.now();
  const response = await context.lifecycle.alone([ref], async () => {
    const known = await appliedFiles(context, record);
    for (const file of files) {
      const before = known.get(file.name);
      if (before !== undefined && before !== hashOf(file.sql)) {
        throw new NinefoldError('migration_changed', { details: { file: file.name } });
      }
    }
    const answer: MigrateResponse = { applied: [], skipped: [], seeded: false };
    for (const file of files) {
      if (known.has(file.name)) {
        answer.skipped.push(file.name);
        continue;
      }
      await apply(context, record, file, answer.applied);
      answer.applied.push(file.name);
    }
    if (seed !== undefined && !known.has(SEED)) {
      await apply(context, record, { name: SEED, sql: seed }, answer.applied);
      answer.seeded = true;
    }
    return answer;
  });
  context.events.emit({ type: 'app', what: 'migrated', app: ref, milliseconds: performance.now() - started });
  return json(response);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function appliedFiles(context: AdminContext, record: AppRecord): Promise<Map<string, string>> {
  return withPool(ownerOf(context.server, record), async (pool) => {
    const [result] = await pool.run([{ text: 'select name, sha256 from ninefold.migrations', params: [] }]);
    return new Map(result ? rowsAsText(result).map((row) => [row.name ?? '', row.sha256 ?? '']) : []);
  });
}

/** One file on a connection of its own: settings that it leaves behind do not reach the next one. */
async function apply(
  context: AdminContext,
  record: AppRecord,
  file: { name: string; sql: string },
  applied: readonly string[],
): Promise<void> {
  const started = performance.now();
  try {
    await withPool(ownerOf(context.server, record), (pool) =>
      pool.transaction(async (tx) => {
        await tx.script(file.sql);
        await tx.run([
          {
            text: 'insert into ninefold.migrations (name, sha256, applied_by, milliseconds) values ($1, $2, current_user, $3)',
            params: [file.name, hashOf(file.sql), String(Math.round(performance.now() - started))],
          },
        ]);
      }),
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new NinefoldError('migration_failed', {
      message: `${file.name}: ${error.message}`,
      details: { file: file.name, applied, ...failureOf(error) },
      cause: error,
    });
  }
}
