import type { ExtensionFolders } from './extension-folders.ts';
import { clusterName } from './process-table.ts';
import { extensionPath } from './provided-extensions.ts';

/** Values for postgresql.conf. */
export interface SettingsOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly maxConnections: number;
  /** PostgreSQL's major version. */
  readonly major: number;
  /** Folders of further extensions; null for none. */
  readonly extensions: ExtensionFolders | null;
  /** True if the server listens on its Unix socket only. */
  readonly isProxied: boolean;
  /** Further settings. PostgreSQL uses the last value of a setting. */
  readonly further: Readonly<Record<string, string>>;
}

/** Share of all connections that is reserved for requests of apps, so that owners who log in directly cannot use it. */
const reservedShare = 0.25;

/** Maximum length of a Unix socket's path on all systems (macOS: 104 bytes with the closing NUL). */
const longestSocketPath = 103;

/**
 * Returns the folder of the Unix socket, which is the data folder; null if the path of the socket is too long for the
 * system.
 */
export function socketFolderFor(dataFolder: string, port: number): string | null {
  return Buffer.byteLength(`${dataFolder}/.s.PGSQL.${port}`) <= longestSocketPath ? dataFolder : null;
}

/**
 * Returns the text of postgresql.conf. It is written at every start. Settings of ALTER SYSTEM are stored in
 * postgresql.auto.conf and override this file.
 */
export function settingsFile(options: SettingsOptions): string {
  const extensions = extensionPath(options.dataFolder, options.extensions?.control ?? null);
  const since = (major: number, ...added: [name: string, value: string | number][]) =>
    options.major >= major ? added : [];
  const settings: [name: string, value: string | number][] = [
    ['listen_addresses', options.isProxied ? '' : '127.0.0.1'],
    ['port', options.port],
    // `.` is the data folder, which other users cannot enter. It is not written as an absolute path, because this
    // setting cannot contain every path.
    ['unix_socket_directories', '.'],
    ['unix_socket_permissions', '0700'],
    ['max_connections', options.maxConnections],
    // Only the roles that serve requests may use these connections: they are members of pg_use_reserved_connections,
    // and the owners' roles are not.
    ...since(16, ['reserved_connections', Math.floor(options.maxConnections * reservedShare)]),
    // All apps share the table of locks. It is enlarged, because with the default of 64 locks per connection one
    // session could fill it in 0.1 s, before the watchdog can end the session.
    ['max_locks_per_transaction', 512],
    // Locks of a prepared transaction belong to no session that the watchdog could end, so prepared transactions are
    // off.
    ['max_prepared_transactions', 0],
    ...(extensions === null ? [] : since(18, ['extension_control_path', extensions])),
    ...(options.extensions === null
      ? []
      : since(18, ['dynamic_library_path', `$libdir:${options.extensions.library}`])),
    ['cluster_name', clusterName(options.dataFolder)],
    // Acknowledged transactions must be on disk.
    ['fsync', 'on'],
    ['full_page_writes', 'on'],
    ['synchronous_commit', 'on'],
    // A small value, for a small machine with many databases.
    ['shared_buffers', '128MB'],
    // Limits the duration of a recovery and of the last checkpoint, because both sync each file that was written since
    // the previous checkpoint.
    ['max_wal_size', '256MB'],
    ['min_wal_size', '80MB'],
    // After a crash, PostgreSQL syncs its complete data folder. By default it does so file by file, which takes minutes
    // for hundreds of databases. With `syncfs`, it is faster.
    ...(process.platform === 'linux' ? [['recovery_init_sync_method', 'syncfs'] as [string, string]] : []),
    ['jit', 'off'],
    ...since(18, ['io_method', 'sync']),
    // The following values are those that initdb writes.
    ['timezone', 'UTC'],
    ['log_timezone', 'UTC'],
    ['datestyle', 'iso, mdy'],
    ['lc_messages', 'C'],
    ['lc_monetary', 'C'],
    ['lc_numeric', 'C'],
    ['lc_time', 'C'],
    ['default_text_search_config', 'pg_catalog.english'],
    // Standard error is the log file. It contains no statements and no values of rows.
    ['logging_collector', 'off'],
    ['log_destination', 'stderr'],
    ['log_line_prefix', '%m [%p] %q%u@%d %a '],
    ['log_min_messages', 'error'],
    ['log_min_error_statement', 'panic'],
    ['log_error_verbosity', 'terse'],
    ['log_checkpoints', 'off'],
    ...Object.entries(options.further),
  ];
  const lines = settings.map(([name, value]) => `${name} = '${quote(String(value))}'`);
  return `# Written by Ninefold at every start. Use ALTER SYSTEM for settings of your own.\n${lines.join('\n')}\n`;
}

/**
 * Escapes a quoted value; backslashes are escape characters (PostgreSQL manual, "Parameter Interaction via the
 * Configuration File").
 */
const quote = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll("'", "''");
