import { limits } from '../../contract/limits.ts';
import type { App } from './app.ts';
import { runAsServerRole } from './run-as-server-role.ts';

/**
 * Deletes sessions that have ended, with their refresh tokens, expired flows, tokens and challenges, and entries of the audit log that
 * are too old or too many, and adds the counts of sign-ins up. One run deletes a bounded number of rows of each table. Returns how many rows it deleted.
 */
export async function sweepSignIns({ database, settings }: Pick<App, 'database' | 'settings'>): Promise<number> {
  const { auth } = await settings();
  const [result] = await runAsServerRole(database, [
    {
      text: 'select ninefold.sweep_sign_ins($1::integer, $2::bigint, $3::float8, $4::float8, $5::float8, $6::float8, $7::integer)',
      params: [
        String(auth.audit_log_retention),
        String(limits.auditEntries.default),
        String(auth.sessions_timebox),
        String(auth.sessions_inactivity_timeout),
        String(limits.flowSeconds.default),
        String(limits.unusedTokenSeconds.default),
        String(limits.sweptRows.default),
      ],
    },
    {
      text: 'select ninefold.fold_sign_in_counts($1::integer)',
      params: [String(limits.signInCountDays.default)],
    },
  ]);
  return Number(result?.rows[0]?.[0]?.toString() ?? 0);
}
