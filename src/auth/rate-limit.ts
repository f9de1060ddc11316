import { createHash } from 'node:crypto';
import type { CallRequest } from '../../contract/call-request.ts';
import { type Limit, type LimitName, limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import { jsonAsAuthAdmin } from '../accounts/run-as-auth-admin.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { clientNetwork } from '../limits/client-network.ts';
import type { RateRefusal } from '../limits/shared-runs.ts';
import { networkId } from '../limits/sign-in-attempts.ts';
import type { AuthContext } from './context.ts';

/** The limits for one kind of call, and the length of the time window for which they count. */
interface Rate {
  readonly network?: LimitName;
  readonly account?: LimitName;
  readonly app?: LimitName;
  readonly window: LimitName;
  /** The code and the message of a refused call; by default over_request_rate_limit. */
  readonly refusal?: { readonly code: 'over_sms_send_rate_limit'; readonly message: string };
}

const rates = {
  sign_up: { network: 'signUpsPerNetwork', app: 'signUpsPerApp', window: 'rateWindowSeconds' },
  anonymous: { network: 'anonymousPerNetwork', app: 'anonymousPerApp', window: 'anonymousWindowSeconds' },
  /** An application registers itself. */
  registration: { network: 'oauthRegistrationsPerNetwork', window: 'oauthRegistrationWindowSeconds' },
  refresh: { network: 'refreshesPerNetwork', window: 'rateWindowSeconds' },
  /** A code or a link is verified. */
  verify: { network: 'verificationsPerNetwork', account: 'verificationsPerAccount', window: 'rateWindowSeconds' },
  /** A mail or a message is sent. */
  otp: {
    ...{ network: 'messagesPerNetwork', account: 'messagesPerAccount', app: 'messagesPerApp' },
    window: 'rateWindowSeconds',
  },
  /** A challenge of a second factor is opened or verified. */
  mfa: { network: 'factorAttemptsPerNetwork', window: 'factorWindowSeconds' },
  /** A sign-in at a provider starts. It stores a row, even if the member never returns. */
  provider: { network: 'providerSignInsPerNetwork', window: 'rateWindowSeconds' },
  /** A sign-in with a passkey starts or ends. */
  passkey: { network: 'passkeySignInsPerNetwork', window: 'rateWindowSeconds' },
  /** An SMS is sent, which costs money. */
  sms: {
    ...{ network: 'textsPerNetwork', account: 'textsPerNumber', app: 'textsPerHour' },
    window: 'textWindowSeconds',
    refusal: { code: 'over_sms_send_rate_limit', message: 'SMS rate limit exceeded' },
  },
} as const satisfies Record<string, Rate>;

export type RateName = keyof typeof rates;

/**
 * Counts a call for all nodes under the client's network, the account and the app, as far as the rate has limits for
 * them. A call above a limit is not counted.
 *
 * @param account The e-mail address or the phone number of the account that the call is for. An attempt from a network
 * in which this member has signed in has its own count, so that strangers who use up the limit do not lock the member
 * out.
 * @throws over_request_rate_limit, with `Retry-After` and the headers of draft-ietf-httpapi-ratelimit-headers-10
 */
export async function takeFromLimit(
  context: Pick<AuthContext, 'database' | 'rateCounts' | 'settings'>,
  exchange: Pick<CallRequest, 'address'>,
  name: RateName,
  account?: string,
): Promise<void> {
  const rate: Rate = rates[name];
  const network = clientNetwork(exchange.address);
  const seconds = limits[rate.window].default;
  const bounds = (['network', 'account', 'app'] as const).flatMap((scope) => {
    const limit = rate[scope];
    if (limit === undefined || (scope === 'account' && account === undefined)) return [];
    return [{ scope, limit, bound: boundOf(limit, context.settings) }];
  });
  const named = account?.trim().toLowerCase() ?? null;
  const subjects = { network, account: named ?? '', app: '' };
  const counted = [
    list(bounds.map(({ scope }) => subject(name, scope, subjects[scope]))),
    list(bounds.map(({ bound }) => String(bound))),
    list(bounds.map(() => String(seconds))),
  ];
  const ofAccount = [
    named,
    networkId(exchange.address),
    subject(name, 'account', subjects.account),
    subject(name, 'account and network', `${network} ${subjects.account}`),
    String(limits.signInNetworkDays.default),
  ];
  const refused =
    named === null
      ? await takeTogether(context, counted)
      : await jsonAsAuthAdmin<RateRefusal>(context.database, takeForAccount(named.includes('@') ? 'email' : 'phone'), [
          ...counted,
          ...ofAccount,
        ]);
  if (refused === null) return;
  const { limit, bound } = bounds[refused.refused - 1] as (typeof bounds)[number];
  throw refusal(rate, limit, bound, refused.wait);
}

const TAKE = 'select ninefold.take_from_rates($1::text[], $2::integer[], $3::integer[], $4::integer)';

/**
 * Counts a call. Calls of the same subjects that arrive while a count is running are counted together by the next
 * statement. Otherwise they would wait for each other, because all calls of a network update the same row.
 */
const takeTogether = (
  { database, rateCounts }: Pick<AuthContext, 'database' | 'rateCounts'>,
  counted: readonly string[],
): Promise<RateRefusal | null> =>
  rateCounts.run(counted.join(' '), async (calls) => {
    const refused = await jsonAsAuthAdmin<RateRefusal>(database, TAKE, [...counted, String(calls)]);
    return Array.from({ length: calls }, (_, i) => (refused === null || i < refused.taken ? null : refused));
  });

/**
 * Conditions that find an account by its address or its number. Each condition uses an index, which a condition with OR
 * could not.
 */
const found = {
  email: 'pg_catalog.lower(u.email) = $4 and u.is_sso_user = false',
  phone: 'u.phone = $4',
} as const;

/**
 * Returns the statement that counts for an account. $4 is the account. The call is counted under $7 in place of $6 if
 * the member has signed in from the network $5 in the last $8 days.
 */
const takeForAccount = (by: keyof typeof found): string => `select ninefold.take_from_rates(
  case when exists (
    select from auth.users u join ninefold.sign_in_networks n on n.user_id = u.id and n.network = $5::bigint
    where ${found[by]} and n.seen_at > pg_catalog.now() - pg_catalog.make_interval(days => $8::integer)
  ) then pg_catalog.array_replace($1::text[], $6::text, $7::text) else $1::text[] end,
  $2::integer[], $3::integer[])`;

/** Returns a PostgreSQL array. The values must need no quotes. */
const list = (values: readonly string[]): string => `{${values.join(',')}}`;

/** Returns the name under which calls are counted. It is a hash, so that the table contains no addresses. */
const subject = (name: RateName, scope: string, of: string): string =>
  createHash('sha256').update(`${name}:${scope}:${of}`).digest('base64url');

function boundOf(name: LimitName, settings: AuthSettings): number {
  const limit: Limit = limits[name];
  const value = settings[limit.setting as keyof AuthSettings];
  return typeof value === 'number' ? value : limit.default;
}

function refusal(rate: Rate, name: LimitName, bound: number, wait: number): NinefoldError {
  const { setting = name }: Limit = limits[name];
  const { code, message } = rate.refusal ?? { code: 'over_request_rate_limit', message: 'Request rate limit reached' };
  return new NinefoldError(code, {
    message: `${message} (${setting}). Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.`,
    retryAfter: wait,
    limit: name,
    quota: { count: bound, seconds: limits[rate.window].default },
  });
}
