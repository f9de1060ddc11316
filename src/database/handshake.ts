import net from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ConnectionConfig } from './connection-config.ts';
import { ConnectionError, DatabaseError } from './database-error.ts';
import { forgetSetting, startupOptions } from './startup-settings.ts';

/**
 * A connection after start-up and login. Only Ninefold's own driver reads and writes its socket, with the extended
 * query protocol.
 */
export interface OpenedSocket {
  socket: Duplex & { setNoDelay?: (on: boolean) => void };
  processId: number;
  secretKey: number;
  /** The values of the settings that PostgreSQL reports, by name, after the login. */
  reportedSettings: ReadonlyMap<string, string>;
}

/**
 * Members of `pg` that its types do not declare. Ninefold depends on an exact version of `pg`, because another version
 * may lack these members.
 */
interface ClientInternals {
  connection: {
    stream: net.Socket;
    removeAllListeners(): void;
    on(event: 'error', listener: () => void): void;
    on(event: 'parameterStatus', listener: (setting: { parameterName: string; parameterValue: string }) => void): void;
  };
  processID: number;
  secretKey: number;
}

/** SQLSTATE undefined_object: the startup message contains a setting that this release of PostgreSQL does not have. */
const UNDEFINED_OBJECT = '42704';

/**
 * Connects and logs in. `pg` does TLS, SCRAM and start-up errors; then this function takes its socket. `pg` sends one
 * Sync per query, but Ninefold needs several statements before one Sync and several such batches in flight.
 * @throws ConnectionError, with a `sqlstate` if PostgreSQL refuses the login (28P01, 3D000, 53300 …).
 */
export async function openSocket(target: ConnectionConfig, timeoutMilliseconds: number): Promise<OpenedSocket> {
  const client = new pg.Client({
    host: target.socketFolder ?? target.host,
    port: target.port,
    database: target.database,
    user: target.user,
    password: target.password,
    ssl: target.tls === 'off' ? false : { rejectUnauthorized: target.tls === 'verify' },
    application_name: target.applicationName,
    options: startupOptions(target),
    connectionTimeoutMillis: timeoutMilliseconds,
    keepAlive: true,
    ...(target.isReplication && { replication: 'true' }),
  });
  client.on('error', () => undefined);
  const { connection } = client as unknown as ClientInternals;
  const reportedSettings = new Map<string, string>();
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    reportedSettings.set(parameterName, parameterValue);
  });
  try {
    await client.connect();
  } catch (error) {
    const failure = asStartupError(error);
    failure.closedSilently = failure.sqlstate === null && wasClosedByServer(connection.stream, error);
    if (failure.sqlstate === UNDEFINED_OBJECT && forgetSetting(target, failure.message)) {
      return openSocket(target, timeoutMilliseconds);
    }
    throw failure;
  }
  const { processID, secretKey } = client as unknown as ClientInternals;
  const socket = connection.stream;
  connection.removeAllListeners();
  connection.on('error', () => undefined);
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  socket.removeAllListeners('close');
  socket.removeAllListeners('error');
  return { socket, processId: processID, secretKey, reportedSettings };
}

/**
 * Returns true if the server closed the connection after its first message. PostgreSQL sends no message if an
 * administrator ends a session that has not logged in yet (ProcessInterrupts() in postgres.c).
 */
const wasClosedByServer = (stream: net.Socket, error: unknown): boolean =>
  stream.bytesRead > 0 && (stream.readableEnded || (error as NodeJS.ErrnoException).code === 'ECONNRESET');

function asStartupError(error: unknown): ConnectionError {
  if (error instanceof pg.DatabaseError && error.code) {
    const { code: sqlstate, severity = 'FATAL', message, routine } = error;
    const fields = { sqlstate, severity, message, ...(routine !== undefined && { routine }) };
    return new ConnectionError(message, { cause: new DatabaseError(fields) });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ConnectionError(message, { cause: error });
}

/**
 * Asks the server to cancel the running statement of a session (PostgreSQL manual, "Canceling Requests in Progress").
 * Resolves when the server has closed the connection of the request; it has sent the signal by then. Failures are
 * ignored.
 */
export function requestCancel(target: ConnectionConfig, processId: number, secretKey: number): Promise<void> {
  return new Promise((resolve) => {
    const packet = Buffer.alloc(16);
    packet.writeInt32BE(16, 0);
    packet.writeInt32BE(80877102, 4);
    packet.writeInt32BE(processId, 8);
    packet.writeInt32BE(secretKey, 12);
    const socket = net.connect(
      target.socketFolder === null
        ? { host: target.host, port: target.port }
        : { path: `${target.socketFolder}/.s.PGSQL.${target.port}` },
    );
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('connect', () => socket.write(packet));
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}
