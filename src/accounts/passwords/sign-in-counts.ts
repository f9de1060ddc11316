import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';

/** Sign-in methods in `ninefold.sign_in_counts`, in addition to the names of providers. */
export type OwnWay = 'password' | 'mail' | 'phone' | 'passkey' | 'anonymous' | 'application';

/** Returns SQL text for one of these methods. */
export const ownWay = (way: OwnWay): string => `'${way}'`;

/**
 * Returns SQL text that counts a sign-in for each row of a FROM item. Each sign-in adds a row. If each sign-in updated
 * a counter instead, all sign-ins would wait for each other.
 * @param way SQL expression for the sign-in method.
 */
export const countSignIn = (way: string, from: string): string =>
  `insert into ninefold.sign_in_counts (day, way, n)
  select (pg_catalog.now() at time zone 'utc')::date, ${way}, 1 from ${from}`;

/** Returns the number of sign-ins by method in the last `signInsShownDays` days, including today. */
export const readSignInCounts = async (database: Executor): Promise<Readonly<Record<string, number>>> =>
  (await jsonAsAuthAdmin<Record<string, number>>(
    database,
    `select pg_catalog.jsonb_object_agg(c.way, c.total) from (
       select way, pg_catalog.sum(n) as total from ninefold.sign_in_counts
       where day > (pg_catalog.now() at time zone 'utc')::date - $1::integer group by way) c`,
    [String(limits.signInsShownDays.default)],
  )) ?? {};
