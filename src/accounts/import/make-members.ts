import { limits } from '../../../contract/limits.ts';
import type { Database } from '../../database/database.ts';
import { inLongTransaction } from './import-store.ts';

/** SQL that removes records with an id, an address or a phone number that an earlier record of the file has. */
const REFUSE_REPEATED = `with accounts as (
  select r.ctid as place, r.line, r.record ->> 'id' as id, r.record ->> 'email' as email, r.record ->> 'phone' as phone
  from ninefold.member_import_records r where r.import_id = $1::uuid and r.user_id is null
),
ranked as (
  select place, pg_catalog.row_number() over by_id as of_id, pg_catalog.first_value(line) over by_id as line_of_id,
    case when email is not null then pg_catalog.row_number() over by_email end as of_email,
    pg_catalog.first_value(line) over by_email as line_of_email,
    case when phone is not null then pg_catalog.row_number() over by_phone end as of_phone,
    pg_catalog.first_value(line) over by_phone as line_of_phone
  from accounts
  window by_id as (partition by id order by line, place), by_email as (partition by email order by line, place),
    by_phone as (partition by phone order by line, place)
),
repeated as (
  delete from ninefold.member_import_records r using ranked k
  where r.import_id = $1::uuid and r.ctid = k.place and (k.of_id > 1 or k.of_email > 1 or k.of_phone > 1)
  returning r.line, coalesce(r.record ->> 'email', r.record ->> 'id') as subject, case
    when k.of_id > 1 then 'line ' || k.line_of_id || ' has the same id'
    when k.of_email > 1 then 'line ' || k.line_of_email || ' has the same address'
    else 'line ' || k.line_of_phone || ' has the same phone number'
  end as reason
)`;

/** SQL that removes records of accounts that the app already has. */
const REFUSE_PRESENT = `with repeated as (
  delete from ninefold.member_import_records r
  where r.import_id = $1::uuid and r.user_id is null and (
    exists (select from auth.users u where u.id = (r.record ->> 'id')::uuid)
    or exists (select from auth.users u where pg_catalog.lower(u.email) = r.record ->> 'email' and u.is_sso_user = false)
    or exists (select from auth.users u where u.phone = r.record ->> 'phone'))
  returning r.line, coalesce(r.record ->> 'email', r.record ->> 'id') as subject, 'it is a member already' as reason
)`;

/** Returns SQL text for a removal of records. It lists the removed records in the report and returns their number. */
const reported = (removal: string): string => `${removal},
listed as (
  insert into ninefold.member_import_refusals (import_id, line, subject, reason)
  select $1::uuid, line, subject, reason from repeated order by line
  limit greatest(0, ${limits.importRefusals.default}
    - (select pg_catalog.count(*) from ninefold.member_import_refusals r where r.import_id = $1::uuid))
)
select pg_catalog.count(*) from repeated`;

const ACCOUNTS = `ninefold.member_import_records r, lateral pg_catalog.jsonb_to_record(r.record) as a(
  id uuid, email text, phone text, password_hash text, email_confirmed_at timestamptz, phone_confirmed_at timestamptz,
  created_at timestamptz, last_sign_in_at timestamptz, banned_until timestamptz, user_metadata jsonb, app_metadata jsonb,
  role text, aud text, is_anonymous boolean, identities jsonb)
where r.import_id = $1::uuid and r.user_id is null`;

const INSERT_USERS = `insert into auth.users (
  instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, last_sign_in_at, banned_until,
  raw_user_meta_data, raw_app_meta_data, is_anonymous, created_at, updated_at,
  confirmation_token, recovery_token, email_change_token_new, email_change)
select '00000000-0000-0000-0000-000000000000', a.id, a.aud, a.role, a.email, a.phone, a.password_hash, a.email_confirmed_at,
  a.phone_confirmed_at, a.last_sign_in_at, a.banned_until, a.user_metadata, a.app_metadata, a.is_anonymous,
  coalesce(a.created_at, pg_catalog.now()), pg_catalog.now(), '', '', '', ''
from ${ACCOUNTS}`;

const insertIdentities = (rows: string): string => `insert into auth.identities
  (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
${rows} on conflict do nothing`;

const LISTED_IDENTITIES =
  insertIdentities(`select i ->> 'provider_id', a.id, i -> 'data', i ->> 'provider', a.last_sign_in_at,
  coalesce(a.created_at, pg_catalog.now()), pg_catalog.now()
from ${ACCOUNTS.replace('\nwhere', ',\n  lateral pg_catalog.jsonb_array_elements(a.identities) i\nwhere')}`);

/** SQL for the identities that are separate records of the file and belong to an account of the same file. */
const FOLLOWING_IDENTITIES =
  insertIdentities(`select f.record ->> 'provider_id', f.user_id, f.record -> 'data', f.record ->> 'provider', null,
  pg_catalog.now(), pg_catalog.now()
from ninefold.member_import_records f
join (select (r.record ->> 'id')::uuid as id from ninefold.member_import_records r where r.import_id = $1::uuid and r.user_id is null) a
  on a.id = f.user_id
where f.import_id = $1::uuid and f.user_id is not null`);

/** Returns SQL for the identity of an account's address or phone number, if the file does not list this identity. */
const ownIdentities = (provider: 'email' | 'phone', condition: string): string =>
  insertIdentities(`select a.id::text, a.id, pg_catalog.jsonb_build_object('sub', a.id, '${provider}', a.${provider},
    'email_verified', a.email_confirmed_at is not null, 'phone_verified', a.phone_confirmed_at is not null),
  '${provider}', a.last_sign_in_at, coalesce(a.created_at, pg_catalog.now()), pg_catalog.now()
from ${ACCOUNTS} and a.${provider} is not null and ${condition}`);

const HAS_NO_IDENTITY = 'not exists (select from auth.identities i where i.user_id = a.id';

/**
 * Creates members from the prepared accounts of an import in one transaction. Either all are created, or none if a rule
 * or a trigger of the app refuses one.
 * @throws DatabaseError
 */
export const makeMembers = (database: Database, id: string): Promise<void> =>
  inLongTransaction(database, async (run) => {
    const refused = await run(reported(REFUSE_REPEATED), [id]);
    const present = await run(reported(REFUSE_PRESENT), [id]);
    const imported = await run(INSERT_USERS, [id]);
    await run(LISTED_IDENTITIES, [id]);
    await run(FOLLOWING_IDENTITIES, [id]);
    await run(ownIdentities('phone', `${HAS_NO_IDENTITY} and i.provider = 'phone')`), [id]);
    const isNeeded = `(a.password_hash is not null or ${HAS_NO_IDENTITY} and i.provider <> 'phone'))`;
    await run(ownIdentities('email', `${isNeeded} and ${HAS_NO_IDENTITY} and i.provider = 'email')`), [id]);
    await run('delete from ninefold.member_import_records where import_id = $1::uuid', [id]);
    await run('delete from ninefold.member_import_parts where import_id = $1::uuid', [id]);
    await run(
      `update ninefold.member_imports set state = 'done', imported = $2::bigint, present = $3::bigint,
         refused = refused + $4::bigint, changed_at = pg_catalog.now() where id = $1::uuid`,
      [id, String(imported), String(present), String(refused)],
    );
  });
