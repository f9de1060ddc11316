import { clusterName } from './process-table.ts';
import { extensionPath } from './provided-extensions.ts';

export interface SettingsOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly maxConnections: number;
}

/** Of all connections: the share that owners of apps who log in themselves leave to the calls of all apps. */
const reservedShare = 0.25;

/** The longest path of a Unix socket that every system takes (macOS: 104 bytes with the closing NUL). */
const longestSocketPath = 103;

/** The data folder, where the socket is, if clients can name it: if its path is not too long for the system; else null. */
export function socketFolderFor(dataFolder: string, port: number): string | null {
  return Buffer.byteLength(`${dataFolder}/.s.PGSQL.${port}`) <= longestSocketPath ? dataFolder : null;
}

/**
 * The text of postgresql.conf. It is written at every start; what an operator sets with ALTER SYSTEM is kept elsewhere
 * (postgresql.auto.conf) and wins.
 */
export function settingsFile(options: SettingsOptions): string {
  const extensions = extensionPath(options.dataFolder);
  const settings: [name: string, value: string | number][] = [
    ['listen_addresses', '127.0.0.1'],
    ['port', options.port],
    // The data folder itself: this list cannot hold every path, and nobody else can enter there.
    ['unix_socket_directories', '.'],
    ['unix_socket_permissions', '0700'],
    ['max_connections', options.maxConnections],
    // The roles that serve calls are members of pg_use_reserved_connections, the owners' roles are not.
    ['reserved_connections', Math.floor(options.maxConnections * reservedShare)],
    // All apps share the lock table. One session fills 64 for each connection in 0.1 s, before it can be ended.
    ['max_locks_per_transaction', 512],
    // Locks of a prepared transaction belong to no session that could be ended.
    ['max_prepared_transactions', 0],
    ...(extensions === null ? [] : [['extension_control_path', extensions] as [string, string]]),
    ['cluster_name', clusterName(options.dataFolder)],
    // Acknowledged transactions are on disk.
    ['fsync', 'on'],
    ['full_page_writes', 'on'],
    ['synchronous_commit', 'on'],
    // A small machine and many databases.
    ['shared_buffers', '128MB'],
    // Bounds the work of a recovery and of the last checkpoint: both sync each file that was written since the checkpoint before.
    ['max_wal_size', '256MB'],
    ['min_wal_size', '80MB'],
    // After a crash PostgreSQL syncs its whole data folder, by default file by file: minutes with hundreds of databases.
    ...(process.platform === 'linux' ? [['recovery_init_sync_method', 'syncfs'] as [string, string]] : []),
    ['jit', 'off'],
    ['io_method', 'sync'],
    // The values that initdb writes.
    ['timezone', 'UTC'],
    ['log_timezone', 'UTC'],
    ['datestyle', 'iso, mdy'],
    ['lc_messages', 'C'],
    ['lc_monetary', 'C'],
    ['lc_numeric', 'C'],
    ['lc_time', 'C'],
    ['default_text_search_config', 'pg_catalog.english'],
    // Standard error is the log file. No statement and no row's values get into it.
    ['logging_collector', 'off'],
    ['log_destination', 'stderr'],
    ['log_line_prefix', '%m [%p] %q%u@%d %a '],
    ['log_min_messages', 'error'],
    ['log_min_error_statement', 'panic'],
    ['log_error_verbosity', 'terse'],
    ['log_checkpoints', 'off'],
  ];
  const lines = settings.map(([name, value]) => `${name} = '${quote(String(value))}'`);
  return `# Written by Ninefold at every start. Use ALTER SYSTEM for settings of your own.\n${lines.join('\n')}\n`;
}

/** A quoted value may hold backslash escapes (PostgreSQL manual, "Parameter Interaction via the Configuration File"). */
const quote = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll("'", "''");
