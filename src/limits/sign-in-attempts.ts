import { createHash } from 'node:crypto';
import { type LimitName, limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import { clientNetwork } from './client-network.ts';

/** Expired rows that one call deletes. */
const SWEPT_ROWS = 20;

/**
 * Keys under which `ninefold.sign_in_failures` counts the attempts of a sign-in, together with the limits for these
 * keys.
 */
export interface SignInSubjects {
  readonly address: string;
  readonly account: string;
  /** Key for the account together with the network. It counts if the member has signed in from this network before. */
  readonly accountAndNetwork: string;
  /** The client's network as a bigint, as it is stored in the tables. */
  readonly network: string;
  readonly bounds: SignInBounds;
}

type SignInBounds = Pick<
  AuthSettings,
  'rate_limit_sign_in_address' | 'rate_limit_sign_in_account' | 'rate_limit_sign_in_window'
>;

/**
 * Returns the keys of a sign-in with a password. Keys are hashed, so that the tables contain no addresses.
 * @param login Email address in lower case, or another login.
 */
export function signInSubjects(clientAddress: string, login: string, bounds: SignInBounds): SignInSubjects {
  const network = clientNetwork(clientAddress);
  return {
    address: digest('address', network).toString('base64url'),
    account: digest('account', login).toString('base64url'),
    accountAndNetwork: digest('account and network', `${network} ${login}`).toString('base64url'),
    network: networkId(clientAddress),
    bounds,
  };
}

/**
 * Returns the keys of an attempt with a code that was mailed to `address`. They differ from the keys of password
 * sign-ins, so that both are limited separately.
 */
export function codeSubjects(clientAddress: string, address: string): SignInSubjects {
  const network = clientNetwork(clientAddress);
  return {
    address: digest('address of codes', network).toString('base64url'),
    account: digest('account of codes', address).toString('base64url'),
    accountAndNetwork: digest('account and network of codes', `${network} ${address}`).toString('base64url'),
    network: networkId(clientAddress),
    bounds: {
      rate_limit_sign_in_address: limits.oneTimeCodeTriesPerNetwork.default,
      rate_limit_sign_in_account: limits.oneTimeCodeTries.default,
      rate_limit_sign_in_window: limits.oneTimeCodeTriesSeconds.default,
    },
  };
}

/** Returns the key of the client's network in `ninefold.sign_in_networks`. */
export const networkId = (clientAddress: string): string =>
  digest('network', clientNetwork(clientAddress)).readBigInt64BE().toString();

const digest = (kind: string, value: string): Buffer => createHash('sha256').update(`${kind}:${value}`).digest();

/**
 * Returns SQL that counts an attempt before its password is checked. Its parameters $1 to $11 are those of
 * `reserveParams`.
 * @param isKnown SQL expression that is true if the network is known for the account.
 */
export const reserveAttempt = (isKnown: string): string => `ninefold.reserve_sign_in(
  $1, $2, $3, $4::bigint, ${isKnown},
  $5::integer, $6::integer, $7::integer, $8::integer, $9::integer, $10::integer, $11::integer)`;

/** Returns the parameters of `reserveAttempt`. */
export const reserveParams = ({ address, account, accountAndNetwork, network, bounds }: SignInSubjects): string[] => [
  address,
  account,
  accountAndNetwork,
  network,
  ...[
    bounds.rate_limit_sign_in_address,
    bounds.rate_limit_sign_in_account,
    bounds.rate_limit_sign_in_window,
    limits.signInNewcomerAttempts.default,
    limits.signInNewcomersKept.default,
    limits.signInNewcomerSeconds.default,
    limits.signInPendingSeconds.default,
  ].map(String),
];

/** An attempt that may not be checked: the seconds to wait, and the limit that refuses it. */
export interface RefusedAttempt {
  readonly wait: number;
  readonly busy: boolean;
  readonly refused: 'address' | 'account';
}

/** Result of `reserve_sign_in`: the time of the attempt, by which `settleAttempt` finds it, or its refusal. */
export type Reservation = { readonly at: string } | RefusedAttempt;

/**
 * Returns the parts of the error of a refused attempt that name its limit.
 * @param names The limits of a network and of an account.
 */
export function refusingLimit(
  { wait, refused }: RefusedAttempt,
  { bounds }: SignInSubjects,
  names: Readonly<Record<RefusedAttempt['refused'], LimitName>>,
) {
  const count = refused === 'address' ? bounds.rate_limit_sign_in_address : bounds.rate_limit_sign_in_account;
  return { retryAfter: wait, limit: names[refused], quota: { count, seconds: bounds.rate_limit_sign_in_window } };
}

/**
 * SQL that ends the attempt that began at the time $3 under the keys $1 and $2. If $4 is true, the attempt failed and
 * stays counted; otherwise it is removed from the count. Rows are locked in the order of their keys, as in
 * `reserve_sign_in`, so that statements cannot deadlock. A failure also deletes some expired rows.
 */
export const settleAttempt = `with settled as materialized (
  select subject from ninefold.sign_in_failures where subject in ($1, $2) order by subject for update
),
swept as (
  delete from ninefold.sign_in_failures f using (
    select s.subject from ninefold.sign_in_failures s
    where $4::boolean and s.keep_until < pg_catalog.now() and s.subject not in ($1, $2)
    order by s.keep_until limit ${SWEPT_ROWS} for update skip locked
  ) as old where f.subject = old.subject
)
update ninefold.sign_in_failures f set
  pending = pg_catalog.array_remove(f.pending, $3::timestamptz),
  attempts = case when $4::boolean then f.attempts else pg_catalog.array_remove(f.attempts, $3::timestamptz) end
from settled where f.subject = settled.subject`;
