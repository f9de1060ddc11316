import type { RoleFigures } from '../../../../contract/specification-roles.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import type { Database } from '../../../database/database.ts';
import { firstJson } from '../../../database/statement.ts';

/** The number of members of each member role, by the name of the role. */
export type MemberFigures = ReadonlyMap<string, RoleFigures>;

const COUNTS = `select coalesce(pg_catalog.json_agg(r), '[]') from (
  select d.name, (select pg_catalog.count(*) from ninefold.member_roles m where m.role = d.name) as members from ninefold.roles d) r`;

/**
 * Reads the number of members of each member role, also of roles without members.
 * @throws Errors of `Executor.run`.
 */
export async function loadRoleFigures(database: Database): Promise<MemberFigures> {
  const [result] = await runAsServerRole(database, [{ text: COUNTS, params: [] }]);
  const rows = (result && firstJson<{ name: string; members: number }[]>(result)) ?? [];
  return new Map(rows.map(({ name, members }) => [name, { members }]));
}
