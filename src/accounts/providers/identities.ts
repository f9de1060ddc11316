import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Result } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { auditAddress, auditEntry, auditInsert } from '../audit/audit.ts';
import { accountJson, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { type Grant, openSession, type SessionClient } from '../sessions/sessions.ts';
import type { User } from '../users/user.ts';
import { addIdentity, type ExternalIdentity, type Finish, finishingOf, setProviders } from './external-sign-in.ts';

/**
 * Returns the statement that locks the account. If two calls link or unlink at the same time, the second call then sees
 * the changes of the first.
 */
const lockAccount = (userId: string): SqlStatement => [
  'select from auth.users where id = $1::uuid for update',
  [userId],
];

/**
 * Statement that gives an account without an address the address of the identity. $2 is null if the provider has not
 * verified an address.
 */
const ADOPT = `update auth.users u set email = $2, email_confirmed_at = pg_catalog.now(), is_anonymous = false,
  raw_user_meta_data = case when pg_catalog.jsonb_typeof(raw_user_meta_data) = 'object' then raw_user_meta_data else '{}' end
    || '{"email_verified": true}', updated_at = pg_catalog.now()
  where id = $1::uuid and nullif(email, '') is null and $2::text is not null`;

/** Statement that opens a session for the account. $7 and $8 are the identity. */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), is_anonymous = false, updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.identities i where i.user_id = u.id and i.provider = $7 and i.provider_id = $8)
  returning u.*`,
  '$7',
);

/**
 * Adds an identity to an account at the request of its member, and signs the member in. Returns the session, or null if
 * the client gets a code.
 * @throws identity_already_exists, user_not_found, and email_exists if the account has no address and the identity's
 * address is taken
 */
export async function linkIdentity(
  database: Executor,
  userId: string,
  identity: ExternalIdentity,
  finish: Finish,
): Promise<Grant | null> {
  const { provider, verifiedEmails } = identity;
  const adopted = identity.email !== null && verifiedEmails.includes(identity.email) ? identity.email : null;
  const finishing = finishingOf(finish, userId, identity, OPEN);
  const results = await runAsAuthAdmin(database, [
    lockAccount(userId),
    addIdentity(identity, userId),
    [ADOPT, [userId, adopted]],
    setProviders(userId),
    notifiedOf('identity_linked_notification', userId, provider, finish.client.acceptLanguage),
    auditEntry('identity_linked', userId, finish.client, { provider }),
    ...finishing.statements,
  ]).catch((error: unknown) => asLinkConflict(error, database, userId, identity));
  const finished = finishing.read(results);
  if (finished === null) throw new NinefoldError('user_not_found', { message: 'Linking target user not found' });
  return finished.grant;
}

/** Queues a mail to the address of the account, if it has one. */
const notifiedOf = (
  kind: 'identity_linked_notification' | 'identity_unlinked_notification',
  userId: string,
  provider: string,
  acceptLanguage: string | undefined,
): SqlStatement => [
  `insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
   select $1, u.email, u.id, $2::jsonb, pg_catalog.left($4, ${limits.acceptLanguageCharacters.default}) from auth.users u where u.id = $3::uuid and nullif(u.email, '') is not null`,
  [kind, JSON.stringify({ Provider: provider }), userId, acceptLanguage ?? null],
];

async function asLinkConflict(
  error: unknown,
  database: Executor,
  userId: string,
  { provider, subject }: ExternalIdentity,
): Promise<Result[]> {
  if (!(error instanceof DatabaseError) || error.sqlstate !== '23505' || error.fields.schema !== 'auth') throw error;
  if (error.fields.table === 'users') throw new NinefoldError('email_exists', { status: 400 });
  const [owner] = await runAsAuthAdmin(database, [
    [
      'select pg_catalog.to_jsonb(user_id) from auth.identities where provider = $1 and provider_id = $2',
      [provider, subject],
    ],
  ]);
  const isOwn = accountJson<string>(owner) === userId;
  throw new NinefoldError('identity_already_exists', {
    message: isOwn ? 'Identity is already linked' : 'Identity is already linked to another user',
  });
}

/** The result of removing an identity. */
type Unlinked = 'unlinked' | 'single' | 'unknown';

/** Statement that deletes an identity unless it is the account's only one. $1 is the account, $2 the identity. */
const UNLINK = `with own as (select i.* from auth.identities i where i.user_id = $1::uuid),
gone as (
  delete from auth.identities i using own where i.id = own.id and i.id = $2::uuid and (select pg_catalog.count(*) from own) > 1
  returning i.provider
),
audited as (${auditInsert('identity_unlinked', {
  userId: '$1::uuid',
  address: '$3',
  traits: `pg_catalog.jsonb_build_object('identity_id', $2::uuid, 'provider', gone.provider)`,
  from: 'gone',
})})
select pg_catalog.jsonb_build_object(
  'verdict', case when exists (select from gone) then 'unlinked' when (select pg_catalog.count(*) from own) <= 1 then 'single' else 'unknown' end,
  'provider', (select provider from gone))`;

/**
 * Statement that chooses a new address if the account's address belonged to the removed identity. The account gets the
 * first verified address of its other identities; if there is none, an unverified address; if there is none, no
 * address. Unfinished changes of the old address are cancelled.
 */
const NEXT_ADDRESS = `with moved as (
update auth.users u set email = n.email,
  email_confirmed_at = case when n.is_verified or $2::boolean and n.email is not null then u.email_confirmed_at end,
  confirmation_token = '', recovery_token = '', email_change = '', email_change_token_new = '', email_change_token_current = '',
  reauthentication_token = '', updated_at = pg_catalog.now()
from (
  select pick.email, coalesce(pick.is_verified, false) as is_verified from (select) one left join (
    select i.email, i.identity_data ->> 'email_verified' = 'true' as is_verified from auth.identities i
    where i.user_id = $1::uuid and nullif(i.email, '') is not null and not exists (
      select from auth.users x where pg_catalog.lower(x.email) = i.email and x.id <> $1::uuid and x.is_sso_user = false)
    order by is_verified desc nulls last, i.created_at, i.id limit 1
  ) pick on true
) n
where u.id = $1::uuid and nullif(u.email, '') is not null
  and not exists (select from auth.identities i where i.user_id = u.id and i.email = pg_catalog.lower(u.email))
  and $3::boolean
returning u.id, n.is_verified, u.email_confirmed_at
),
proven as (
  delete from ninefold.unproven_addresses a using moved where a.user_id = moved.id and moved.is_verified
)
insert into ninefold.unproven_addresses (user_id)
select moved.id from moved where not moved.is_verified and moved.email_confirmed_at is not null
on conflict (user_id) do nothing`;

/**
 * Removes an identity from an account. Throws single_identity_not_deletable for the only one, and identity_not_found.
 *
 * @param autoconfirms Whether an unverified address counts as confirmed.
 */
export async function unlinkIdentity(
  database: Executor,
  user: Pick<User, 'id' | 'identities'>,
  identityId: string,
  autoconfirms: boolean,
  caller: SessionClient,
): Promise<void> {
  const provider = user.identities.find(({ identity_id }) => identity_id === identityId)?.provider ?? '';
  const isPhone = provider === 'phone';
  const results = await runAsAuthAdmin(database, [
    lockAccount(user.id),
    notifiedIfUnlinkable(user.id, identityId, provider, caller),
    [UNLINK, [user.id, identityId, auditAddress(caller)]],
    [NEXT_ADDRESS, [user.id, String(autoconfirms), String(!isPhone)]],
    [
      `update auth.users u set phone = null, phone_confirmed_at = null where id = $1::uuid and $2::boolean
       and not exists (select from auth.identities i where i.user_id = u.id and i.provider = 'phone')`,
      [user.id, String(isPhone)],
    ],
    setProviders(user.id),
  ]);
  const { verdict } = accountJson<{ verdict: Unlinked }>(results[2]) ?? { verdict: 'unknown' };
  if (verdict === 'single') throw new NinefoldError('single_identity_not_deletable');
  if (verdict === 'unknown') throw new NinefoldError('identity_not_found');
}

/**
 * Returns the statement that queues the notice. The mail goes to the address that the account had before the change.
 */
const notifiedIfUnlinkable = (
  userId: string,
  identityId: string,
  provider: string,
  { acceptLanguage }: SessionClient,
): SqlStatement => {
  const [text, params] = notifiedOf('identity_unlinked_notification', userId, provider, acceptLanguage);
  return [
    `${text} and exists (select from auth.identities i where i.user_id = u.id and i.id = $5::uuid)
       and (select pg_catalog.count(*) from auth.identities i where i.user_id = u.id) > 1`,
    [...params, identityId],
  ];
};
