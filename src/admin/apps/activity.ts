import type { Activity, SignInCounts } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { readSignInCounts } from '../../accounts/passwords/sign-in-counts.ts';
import { countSessions } from '../../accounts/sessions/sessions.ts';
import { countUsers } from '../../accounts/users/list-users.ts';
import { quantile } from '../../apps/statistics/call-statistics.ts';
import { readCalls } from '../../apps/statistics/read-statistics.ts';
import { rowsAsText } from '../../database/statement.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

const showActivity = adminCall({
  route: 'GET /apps/:ref/activity',
  least: 'reader',
  summary: 'Returns figures and health of one app.',
  returns: 'Activity',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const { auth } = await app.settings();
    const [calls, members, sessions, connections] = await Promise.all([
      readCalls(app),
      countUsers(app.database),
      countSessions(app.database, auth),
      connectionsOf(context, app.record.database),
    ]);
    const { histogram, ...today } = calls.today;
    const activity: Activity = {
      hours: calls.hours,
      today: {
        ...today,
        p50_ms: quantile(histogram, 0.5),
        p99_ms: quantile(histogram, 0.99),
        per_minute: calls.lastMinutes / 5,
      },
      members,
      sessions,
      health: [
        {
          name: 'Node',
          ok: true,
          text: `${context.node.workers} ${context.node.workers === 1 ? 'worker' : 'workers'}, version ${context.node.version}`,
        },
        {
          name: 'Postgres',
          ok: connections.used < connections.max,
          text: `${connections.version}, ${connections.here} of ${connections.max} connections`,
        },
      ],
    };
    return json(activity);
  },
});

async function connectionsOf(
  context: AdminContext,
  database: string,
): Promise<{ version: string; used: number; here: number; max: number }> {
  const [result] = await context.maintenance.run([
    {
      text: `select current_setting('server_version') as version, count(*) as used, count(*) filter (where datname = $1) as here,
               current_setting('max_connections') as max
             from pg_catalog.pg_stat_activity where backend_type = 'client backend'`,
      params: [database],
    },
  ]);
  const row = result ? rowsAsText(result)[0] : undefined;
  return {
    version: row?.version ?? '',
    used: Number(row?.used),
    here: Number(row?.here),
    max: Number(row?.max),
  };
}

const showSignInCounts = adminCall({
  route: 'GET /apps/:ref/sign-ins',
  least: 'reader',
  summary: 'Returns the number of sign-ins by method.',
  returns: 'SignInCounts',
  handle: async ({ context, ref }) => {
    const { database } = await openApp(context, ref);
    const counts: SignInCounts = { days: limits.signInsShownDays.default, ways: await readSignInCounts(database) };
    return json(counts);
  },
});

export const activityCalls: readonly AdminCall[] = [showActivity, showSignInCounts];
