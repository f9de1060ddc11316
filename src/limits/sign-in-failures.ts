import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { AuthSettings } from '../../contract/settings-auth.ts';

/** Failed sign-ins are counted for whom they came from and for whom they meant, in `ninefold.sign_in_failures`. */
export interface SignInSubjects {
  readonly address: string;
  readonly account: string;
  /** An array for PostgreSQL: how many may fail for the one, how many for the other, and within how many seconds. */
  readonly bounds: string;
}

const digest = (kind: string, value: string): string =>
  createHash('sha256').update(`${kind}:${value}`).digest('base64url');

/** The names under which failures are counted; hashed, so that the table holds no addresses. */
export const signInSubjects = (clientAddress: string, email: string, settings: SignInSettings): SignInSubjects => ({
  address: digest('address', clientNetwork(clientAddress)),
  account: digest('account', email),
  bounds: `{${settings.rate_limit_sign_in_address},${settings.rate_limit_sign_in_account},${settings.rate_limit_sign_in_window}}`,
});

type SignInSettings = Pick<
  AuthSettings,
  'rate_limit_sign_in_address' | 'rate_limit_sign_in_account' | 'rate_limit_sign_in_window'
>;

/** The client's IPv4 address, or the /64 network of its IPv6 address: one client has all of a /64 to itself. */
export function clientNetwork(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + after < 8) groups.push('0');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const windowStart = (bounds: string): string =>
  `pg_catalog.now() - pg_catalog.make_interval(secs => (${bounds}::int[])[3])`;

/**
 * SQL text: the seconds until a sign-in may be tried again, 0 when it may be now. `address`, `account` and `bounds` are SQL
 * expressions of what `signInSubjects` made.
 */
export const signInWaitSeconds = (address: string, account: string, bounds: string): string => `coalesce((
  select pg_catalog.max(pg_catalog.ceil(extract(epoch from f.window_start - (${windowStart(bounds)}))))::integer
  from ninefold.sign_in_failures f
  where f.window_start > ${windowStart(bounds)}
    and (f.subject = ${address} and f.failures >= (${bounds}::int[])[1]
      or f.subject = ${account} and f.failures >= (${bounds}::int[])[2])
), 0)`;

/**
 * Counts one failure. $1 is the address's subject, $2 the account's, $3 the bounds. Rows are written in the order of their subjects, so that
 * no two failures wait for each other. What lies past its window is swept, some rows with each failure.
 */
export const recordSignInFailure = `with swept as (
  delete from ninefold.sign_in_failures f using (
    select s.subject from ninefold.sign_in_failures s
    where s.window_start <= ${windowStart('$3')} and s.subject not in ($1, $2)
    order by s.window_start limit 20 for update skip locked
  ) as old where f.subject = old.subject
)
insert into ninefold.sign_in_failures as f (subject, window_start, failures)
select subject, pg_catalog.now(), 1 from pg_catalog.unnest(array[$1::text, $2::text]) as subject order by subject
on conflict (subject) do update set
  failures = case when f.window_start <= ${windowStart('$3')} then 1 else f.failures + 1 end,
  window_start = case when f.window_start <= ${windowStart('$3')} then pg_catalog.now() else f.window_start end`;

/** Forgets the failures of an account, $1, if the session $2 was opened for it. */
export const forgetSignInFailures = `delete from ninefold.sign_in_failures
where subject = $1 and exists (select from auth.sessions s where s.id = $2::uuid)`;
