import { randomBytes } from 'node:crypto';
import type { Pool } from '../../database/pool.ts';
import { quoteIdentifier as id, quoteLiteral as literal, plain } from '../../database/statement.ts';
import { vaultRole } from '../registry/app-record.ts';
import type { Server } from '../registry/server.ts';
import { scramVerifier } from './scram-verifier.ts';

/**
 * Creates the roles whose password verifiers are the keys of the apps' Vaults (`src/schema/0025_vault.sql`), where they are missing.
 * PostgreSQL hides login roles of other apps (`0004_hide_other_apps.sql`), so the roles are login roles. No session can have one:
 * nobody knows the password, it has expired, and the role may have no connection.
 * A login that is no superuser cannot read the verifiers, so its apps have no Vault.
 */
export async function ensureVaultKeys(
  maintenance: Pool,
  refs: readonly string[],
  { missingRights }: Pick<Server, 'missingRights'>,
): Promise<void> {
  if (refs.length === 0 || missingRights.includes('catalog')) return;
  const keys = refs.map((ref) => {
    const verifier = scramVerifier(randomBytes(32).toString('base64url'));
    return `(${literal(vaultRole(ref))}, ${literal(verifier)})`;
  });
  await maintenance.run([
    plain(`do $do$ declare missing record; begin
      for missing in select v.role, v.verifier from (values ${keys.join(', ')}) v (role, verifier)
        where not exists (select from pg_catalog.pg_roles r where r.rolname = v.role)
      loop
        execute pg_catalog.format('create role %I login noinherit connection limit 0 valid until ''1970-01-01'' password %L',
          missing.role, missing.verifier);
      end loop; end $do$`),
  ]);
}

/** Gives an app the key of the Vault of another app, whose database was copied. */
export async function copyVaultKey(
  maintenance: Pool,
  sourceDatabase: string,
  ref: string,
  { missingRights }: Pick<Server, 'missingRights'>,
): Promise<void> {
  if (missingRights.includes('catalog')) return;
  await maintenance.run([
    plain(`do $do$ declare verifier text; begin
      select a.rolpassword into verifier from pg_catalog.pg_authid a where a.rolname = ${literal(`${sourceDatabase}_vault`)};
      if verifier is not null then
        execute pg_catalog.format('alter role %I password %L', ${literal(vaultRole(ref))}, verifier);
      end if; end $do$`),
  ]);
}

/** Sets the key of an app's Vault. @param verifier The password verifier of the same role on another server. */
export const setVaultKey = (maintenance: Pool, ref: string, verifier: string): Promise<unknown> =>
  maintenance.run([plain(`alter role ${id(vaultRole(ref))} password ${literal(verifier)}`)]);
