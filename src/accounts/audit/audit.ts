import type { Param } from '../../database/statement.ts';
import type { SqlStatement } from '../run-as-auth-admin.ts';

/** The actions of the audit log, each with its type in GoTrue. The actions that GoTrue does not have come last. */
export const auditActions = {
  login: 'account',
  logout: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  token_revoked: 'token',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  generate_recovery_codes: 'recovery_codes',
  recovery_codes_deleted: 'recovery_codes',
  session_ended: 'account',
  login_refused: 'account',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof auditActions;

/** The caller who caused an event. An admin uses the secret key; every other caller is the account itself. */
export interface AuditCaller {
  readonly address: string;
  readonly isAdmin?: boolean;
}

/** Returns the address of a caller in the form of the column ip_address: without the zone of a link-local address. */
export const auditAddress = ({ address }: AuditCaller): string => address.replace(/%.*$/, '');

/** Returns the address of the caller, and whether the caller is an admin, as SQL parameters. */
export const callerParams = (caller: AuditCaller): [address: Param, isAdmin: Param] => [
  auditAddress(caller),
  String(caller.isAdmin ?? false),
];

/**
 * The parts of an entry as SQL expressions. They must not contain values of a request: those are passed as parameters.
 */
interface EntrySql {
  /** SQL for the id (a uuid) of the account that the entry is about. */
  readonly userId: string;
  readonly address: string;
  /** An SQL expression of type jsonb for the traits of the entry. It must not contain a secret. */
  readonly traits?: string;
  readonly isAdmin?: string;
  /** One entry is written for each row of this FROM list. */
  readonly from?: string;
  readonly where?: string;
}

const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the SQL text that writes an event into auth.audit_log_entries in GoTrue's form. All entries are written by
 * this text, as a statement of its own or as a common table expression of the statement that makes the change. If an
 * admin made the change, the admin is the actor of the entry, and the changed account is in the traits.
 */
export function auditInsert(action: AuditAction, entry: EntrySql): string {
  const {
    userId,
    address,
    traits = `'{}'::jsonb`,
    isAdmin = 'false',
    from = '(select) as one',
    where = 'true',
  } = entry;
  return `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
select '${NIL}', pg_catalog.gen_random_uuid(), pg_catalog.json_build_object(
    'action', '${action}',
    'actor_id', case when ${isAdmin} then '${NIL}'::uuid else coalesce(account.id, '${NIL}'::uuid) end,
    'actor_username', case when ${isAdmin} then 'service_role' else coalesce(nullif(account.phone, ''), account.email, '') end,
    'actor_via_sso', not ${isAdmin} and coalesce(account.is_sso_user, false),
    'log_type', '${auditActions[action]}',
    'traits', ${traits} || case when ${isAdmin} then pg_catalog.jsonb_build_object('user_id', ${userId},
      'user_email', coalesce(account.email, ''), 'user_phone', coalesce(account.phone, '')) else '{}'::jsonb end),
  pg_catalog.clock_timestamp(), ${address}
from ${from} left join auth.users account on account.id = ${userId} where ${where}`;
}

/** Returns the statement that writes an event about an account that exists. */
export const auditEntry = (
  action: AuditAction,
  userId: string,
  caller: AuditCaller,
  traits: Readonly<Record<string, string | number | boolean>> = {},
): SqlStatement => [
  auditInsert(action, {
    userId: '$1::uuid',
    address: '$2',
    isAdmin: '$3::boolean',
    traits: '$4::jsonb',
    where: 'account.id is not null',
  }),
  [userId, ...callerParams(caller), JSON.stringify(traits)],
];
