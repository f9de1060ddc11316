import type { SqlStatement } from '../run-as-auth-admin.ts';

/** The limit of wrong codes for one account: `most` within `seconds`. */
export interface AttemptBound {
  readonly most: number;
  readonly seconds: number;
}

/**
 * SQL for the attempts of the row `a` that are still within the time window. $2 is the length of the window in seconds.
 */
const RECENT = `array(select t from pg_catalog.unnest(a.attempts) t
  where t > pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => $2::float8) order by t)`;

/**
 * SQL text that counts an attempt of the account $1 before its code is compared, so that the limit $3 holds for any
 * number of concurrent calls on any number of nodes. Returns `{"at": …}`, which identifies the attempt, or
 * `{"wait": seconds}`.
 */
const RESERVE = `with counted as (
  insert into ninefold.second_factor_attempts as a (user_id, attempts) values ($1::uuid, array[pg_catalog.clock_timestamp()])
  on conflict (user_id) do update set attempts = ${RECENT} || pg_catalog.clock_timestamp()
    where pg_catalog.cardinality(${RECENT}) < $3::integer
  returning a.attempts[pg_catalog.cardinality(a.attempts)] as at
)
select coalesce(
  (select pg_catalog.jsonb_build_object('at', at) from counted),
  (select pg_catalog.jsonb_build_object('wait', greatest(1, pg_catalog.ceil(extract(epoch from
     (${RECENT})[1] + pg_catalog.make_interval(secs => $2::float8) - pg_catalog.clock_timestamp()))))
   from ninefold.second_factor_attempts a where a.user_id = $1::uuid),
  '{"wait": 1}')`;

export type AttemptReservation = { readonly at: string } | { readonly wait: number };

/** Returns the statement that counts an attempt; its JSON is an AttemptReservation. */
export const reserveAttempt = (userId: string, bound: AttemptBound): SqlStatement => [
  RESERVE,
  [userId, String(bound.seconds), String(bound.most)],
];

/**
 * Returns the statement that removes an attempt from the count, because its code was right.
 * @param ifRaised A session: the attempt is removed only if this transaction has raised that session. Null: it is
 * always removed.
 */
export const forgetAttempt = (userId: string, at: string, ifRaised: string | null): SqlStatement => [
  `update ninefold.second_factor_attempts a set attempts = pg_catalog.array_remove(a.attempts, $2::timestamptz)
   where a.user_id = $1::uuid and ($3::uuid is null or exists (
     select from auth.sessions s where s.id = $3::uuid and s.aal >= 'aal2' and s.updated_at = pg_catalog.now()))`,
  [userId, at, ifRaised],
];
