import { type ConnectionConfig, parseConnectionUrl } from '../../database/connection-config.ts';
import { ConnectionError, DatabaseError } from '../../database/database-error.ts';
import { ConnectionUrlError } from '../../database/split-url.ts';
import { rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { MAINTENANCE_DATABASE } from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { type Server, withPool } from '../registry/server.ts';
import { prepareFurtherServer } from './bootstrap.ts';
import { ServerUnfitError } from './check-server.ts';
import type { ServerPools } from './server-pools.ts';

/**
 * Adds a PostgreSQL server to the node, and prepares it for apps.
 * @param url As NINEFOLD_DATABASE_URL.
 * @throws NinefoldError server_exists, server_unfit
 */
export async function addServer(servers: ServerPools, registry: Registry, ref: string, url: string): Promise<void> {
  const { entry, server } = serverAt(servers.own.server, url);
  try {
    const known = await Promise.all(
      [{}, ...(await registry.servers.list())].map((place) =>
        identifierOf(servers.of(place).server.target).catch(() => ''),
      ),
    );
    const identifier = await identifierOf(entry);
    if (known.includes(identifier)) throw new NinefoldError('server_exists');
    const missingRights = await prepareFurtherServer(server, entry);
    if (!(await registry.servers.add(ref, url, missingRights))) throw new NinefoldError('server_exists');
  } catch (error) {
    const isKnown =
      error instanceof ServerUnfitError || error instanceof DatabaseError || error instanceof ConnectionError;
    throw isKnown ? unfit(error) : error;
  }
}

/** @throws NinefoldError server_unfit for a URL that cannot be read */
function serverAt(own: Server, url: string): { entry: ConnectionConfig; server: Server } {
  try {
    const entry = { ...parseConnectionUrl(url, 'ninefold'), searchPath: '', ignoresLockTimeout: true };
    return { entry, server: { ...own, target: { ...entry, database: MAINTENANCE_DATABASE }, isEmbedded: false } };
  } catch (error) {
    throw error instanceof ConnectionUrlError ? unfit(error) : error;
  }
}

const unfit = (error: Error): NinefoldError =>
  new NinefoldError('server_unfit', { message: error.message, cause: error });

/** Returns the number that distinguishes a cluster from all others. */
async function identifierOf(target: ConnectionConfig): Promise<string> {
  const [result] = await withPool(target, (pool) =>
    pool.run([{ text: 'select system_identifier::text as id from pg_catalog.pg_control_system()', params: [] }]),
  );
  return (result && rowsAsText(result)[0]?.id) ?? '';
}
