import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { decoyHash, ourScheme } from './passwords.ts';
import { jsonAsAuthAdmin } from './run-as-auth-admin.ts';

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

interface Sampled {
  readonly at: number;
  readonly decoys: Promise<readonly string[]>;
}

/** The sample of each database. Each worker takes its own samples. */
const sampled = new WeakMap<Executor, Sampled>();

/**
 * Returns one hash for each scheme and cost that is common among the accounts of an app. Nobody knows the passwords of
 * these hashes. A failed sign-in verifies the password against all of these hashes, except the one that has the scheme
 * of the account's own hash. So it takes the same time whatever hash the account has, and also if there is no account.
 * A scheme whose cost is too high is left out. A sample is used for a while. Only the first call waits for a sample,
 * which reads many pages of a large table: later calls get the previous sample while a new one is taken.
 */
export function commonDecoys(database: Executor): Promise<readonly string[]> {
  const last = sampled.get(database);
  const at = performance.now();
  if (last && at - last.at < limits.commonHashSeconds.default * 1000) return last.decoys;
  const decoys = sample(database);
  const current = last?.decoys ?? decoys;
  sampled.set(database, { at, decoys: current });
  decoys.then(
    () => sampled.set(database, { at, decoys }),
    () => last ?? sampled.delete(database),
  );
  return current;
}

/** Discards the sample of a database. Called when a sign-in has found a hash whose scheme is not in the sample. */
export const forgetCommonDecoys = (database: Executor): void => void sampled.delete(database);

async function sample(database: Executor): Promise<readonly string[]> {
  const { commonHashSample, commonHashPercent, commonHashes } = limits;
  const schemes = await jsonAsAuthAdmin<string[]>(database, COMMON, [
    String(commonHashSample.default),
    String(commonHashPercent.default),
  ]);
  const decoys = [ourScheme, ...(schemes ?? [])].map(decoyHash).filter((decoy) => decoy !== null);
  return [...new Set(decoys)].slice(0, commonHashes.default);
}
