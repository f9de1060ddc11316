import { limits } from '../../../contract/limits.ts';
import type { App } from '../app.ts';
import { rethrowAsAppDamaged } from '../provisioning/damaged-app.ts';
import { becomeAuthAdmin } from '../run-as-server-role.ts';

/**
 * Deletes ended sessions with their refresh tokens, expired flows, tokens and challenges, and old or excess entries of
 * the audit log. Merges the counts of sign-ins. One run deletes a limited number of rows of each table. Returns the
 * number of deleted rows.
 */
export async function sweepSignIns(app: Pick<App, 'database' | 'settings'>): Promise<number> {
  const { auth } = await app.settings();
  const statements = [
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
  ];
  const [, result] = await app.database.run([becomeAuthAdmin, ...statements]).catch(rethrowAsAppDamaged);
  return Number(result?.rows[0]?.[0]?.toString() ?? 0);
}
