import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { jsonAsAuthAdmin } from './run-as-auth-admin.ts';

/** Ways to sign in as `ninefold.sign_in_counts` names them, besides the names of providers. */
export type OwnWay = 'password' | 'mail' | 'phone' | 'passkey' | 'anonymous' | 'application';

/** SQL text: one of Ninefold's own ways. */
export const ownWay = (way: OwnWay): string => `'${way}'`;

/**
 * SQL text that counts a sign-in for each row of a FROM item. Rows are appended: one counter for each way would make all sign-ins wait for
 * each other.
 *
 * @param way SQL expression for the way.
 */
export const countSignIn = (way: string, from: string): string =>
  `insert into ninefold.sign_in_counts (day, way, n)
  select (pg_catalog.now() at time zone 'utc')::date, ${way}, 1 from ${from}`;

/** Returns how many sign-ins there were by each way in the last `signInsShownDays` days, the present one included. */
export const readSignInCounts = async (database: Executor): Promise<Readonly<Record<string, number>>> =>
  (await jsonAsAuthAdmin<Record<string, number>>(
    database,
    `select pg_catalog.jsonb_object_agg(c.way, c.total) from (
       select way, pg_catalog.sum(n) as total from ninefold.sign_in_counts
       where day > (pg_catalog.now() at time zone 'utc')::date - $1::integer group by way) c`,
    [String(limits.signInsShownDays.default)],
  )) ?? {};
