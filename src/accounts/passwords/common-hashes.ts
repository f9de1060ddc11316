import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import type { RefreshedValue } from '../../limits/refreshed-value.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import { decoyHash, ourScheme } from './passwords.ts';

/**
 * Query for the prefixes of the password hashes that many accounts of an app have, from a sample. The sample reads
 * random pages of a large table, and a small table completely.
 */
const COMMON = `select pg_catalog.jsonb_agg(scheme order by accounts desc) from (
  select scheme, pg_catalog.count(*) as accounts, pg_catalog.sum(pg_catalog.count(*)) over () as "all" from (
    select pg_catalog.substring(u.encrypted_password, 
      '^(?:\\$2[aby]\\$\\d\\d\\$|\\$argon2id?\\$v=19\\$m=\\d+,t=\\d+,p=\\d+\\$|\\$fbscrypt\\$v=1,n=\\d+,r=\\d+,p=\\d+|(?:pbkdf2_|\\$pbkdf2-)sha\\d+\\$\\d+\\$)') as scheme
    from auth.users u tablesample system ((
      select least(100, 100.0 * $1::integer / greatest(1, c.reltuples)) from pg_catalog.pg_class c where c.oid = 'auth.users'::regclass
    ))
    where u.encrypted_password <> ''
  ) as sample
  where scheme is not null
  group by scheme
) as counted
where accounts * 100 >= "all" * $2::integer`;

/** The sample of an app's hashes. Each worker takes its own. */
export type CommonHashes = RefreshedValue<readonly string[]>;

/**
 * Returns one hash for each scheme and cost that is common among the accounts of an app. Nobody knows the passwords of
 * these hashes. A failed sign-in verifies all of them except the one of the account's own scheme. It therefore takes
 * the same time for every kind of hash and also without an account. A scheme whose cost is too high is left out. Only
 * the first call waits for a sample, which reads many pages of a large table.
 */
export const commonDecoys = ({
  database,
  commonHashes,
}: {
  readonly database: Executor;
  readonly commonHashes: CommonHashes;
}): Promise<readonly string[]> => commonHashes.get(() => sample(database));

async function sample(database: Executor): Promise<readonly string[]> {
  const { commonHashSample, commonHashPercent, commonHashes } = limits;
  const schemes = await jsonAsAuthAdmin<string[]>(database, COMMON, [
    String(commonHashSample.default),
    String(commonHashPercent.default),
  ]);
  const decoys = [ourScheme, ...(schemes ?? [])].map(decoyHash).filter((decoy) => decoy !== null);
  return [...new Set(decoys)].slice(0, commonHashes.default);
}
