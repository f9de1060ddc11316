import { randomBytes } from 'node:crypto';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import { RawSession } from '../../database/raw-session.ts';
import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import { authenticatorRole, ownerRole, serverRole, vaultRole } from '../registry/app-record.ts';

/**
 * Gives the login roles of an app the names of another app, so that all privileges, policies and owners in a dump name the
 * other app. Only for a server that nobody uses. Roles that have these names already get others.
 */
export async function renameRoles(connection: ConnectionConfig, from: string, to: string): Promise<void> {
  if (from === to) return;
  const session = await RawSession.open({ ...connection, searchPath: '' });
  try {
    const rows = await session.query(
      `select rolname from pg_catalog.pg_roles where rolname in (${[from, to].flatMap(roles).map(literal).join(', ')})`,
    );
    const present = new Set(rows.map(({ rolname }) => rolname));
    const newNames = roles(to);
    const renames = roles(from).flatMap((name, i) => {
      const wanted = newNames[i] ?? '';
      if (!present.has(name)) return [];
      const makesRoom = present.has(wanted)
        ? [`alter role ${id(wanted)} rename to ${id(`replaced_${randomBytes(8).toString('hex')}`)}`]
        : [];
      return [...makesRoom, `alter role ${id(name)} rename to ${id(wanted)}`];
    });
    if (renames.length > 0) await session.query(renames.join(';'));
  } finally {
    await session.close();
  }
}

const roles = (ref: string): string[] => [ownerRole(ref), authenticatorRole(ref), serverRole(ref), vaultRole(ref)];
