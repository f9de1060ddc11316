import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import { clientNetwork } from './client-network.ts';

/** Sign-ins are counted in `ninefold.sign_in_failures`, by the client's network and by the account. */
export interface SignInSubjects {
  readonly address: string;
  readonly account: string;
  /** For a network from which the member has signed in before. */
  readonly accountAndNetwork: string;
  /** The client's network as the tables name it, a bigint. */
  readonly network: string;
  readonly bounds: SignInBounds;
}

type SignInBounds = Pick<
  AuthSettings,
  'rate_limit_sign_in_address' | 'rate_limit_sign_in_account' | 'rate_limit_sign_in_window'
>;

/** Names what a sign-in counts under; hashed, so that the tables hold no addresses. `login` is the e-mail address in lower case. */
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

/** Names what a code that was mailed to `address` counts under, apart from sign-ins by password. */
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

/** Returns the client's network as `ninefold.sign_in_networks` names it. */
export const networkId = (clientAddress: string): string =>
  digest('network', clientNetwork(clientAddress)).readBigInt64BE().toString();

const digest = (kind: string, value: string): Buffer => createHash('sha256').update(`${kind}:${value}`).digest();

/** SQL text that counts an attempt before its password is checked. `isKnown` is an SQL expression; $1 to $11 are `reserveParams`. */
export const reserveAttempt = (isKnown: string): string => `ninefold.reserve_sign_in(
  $1, $2, $3, $4::bigint, ${isKnown},
  $5::integer, $6::integer, $7::integer, $8::integer, $9::integer, $10::integer, $11::integer)`;

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

/** The result of `reserve_sign_in`: the time of the attempt, by which it is settled, or how long it must wait. */
export type Reservation = { readonly at: string } | { readonly wait: number; readonly busy: boolean };

/**
 * Settles the attempt at $3 under the subjects $1 and $2: it stays counted if $4, that it failed, is true. Rows are locked in the
 * order of their subjects, as `reserve_sign_in` does, so no two statements wait for each other. A failure also sweeps some rows
 * that are no longer needed.
 */
export const settleAttempt = `with settled as materialized (
  select subject from ninefold.sign_in_failures where subject in ($1, $2) order by subject for update
),
swept as (
  delete from ninefold.sign_in_failures f using (
    select s.subject from ninefold.sign_in_failures s
    where $4::boolean and s.keep_until < pg_catalog.now() and s.subject not in ($1, $2)
    order by s.keep_until limit 20 for update skip locked
  ) as old where f.subject = old.subject
)
update ninefold.sign_in_failures f set
  pending = pg_catalog.array_remove(f.pending, $3::timestamptz),
  attempts = case when $4::boolean then f.attempts else pg_catalog.array_remove(f.attempts, $3::timestamptz) end
from settled where f.subject = settled.subject`;
