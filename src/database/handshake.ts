import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import pg from 'pg';
import type { ConnectionConfig } from './connection-config.ts';
import { ConnectionError, DatabaseError } from './database-error.ts';
import { type Host, hostName } from './host.ts';
import { type ServerAddress, tlsOptions } from './server-address.ts';
import { forgetSetting, startupOptions } from './startup-settings.ts';

/**
 * A connection after start-up and login. Only Ninefold's own driver reads and writes its socket, with the extended
 * query protocol.
 */
export interface OpenedSocket {
  socket: Duplex & { setNoDelay?: (on: boolean) => void };
  /** The host that accepted the login. */
  host: Host;
  isEncrypted: boolean;
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
    prependListener(event: string, listener: (message: { mechanisms?: readonly string[] }) => void): void;
  };
  processID: number;
  secretKey: number;
}

/** SQLSTATE undefined_object: the startup message contains a setting that this release of PostgreSQL does not have. */
const UNDEFINED_OBJECT = '42704';
/** SQLSTATE invalid_authorization_specification: pg_hba.conf refuses the login, for example because of TLS. */
const REFUSED_BY_HBA = '28000';
/** SQLSTATE cannot_connect_now: the server is starting, stopping or recovering. */
const CANNOT_CONNECT = '57P03';

/**
 * Time for one of several hosts to accept a login. A machine that is down does not respond at all, and the next host may
 * be the new primary.
 */
const HOST_MILLISECONDS = 2000;
/** Idle time before the operating system checks whether the server's machine still responds. */
const KEEP_ALIVE_MILLISECONDS = 5000;
/** Time for a cancel request. */
const CANCEL_MILLISECONDS = 2000;
/** Message that asks for TLS: its length and the code 80877103 (PostgreSQL manual, "SSLRequest"). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The byte with which a server accepts TLS. */
const ACCEPTS_TLS = 0x53;
const NO_TLS = 'The server does not support SSL connections';
const CHANNEL_BINDING = 'SCRAM-SHA-256-PLUS';

/**
 * Connects and logs in at the primary: tries the hosts in turn and takes the first that is no standby.
 * @throws ConnectionError, with a `sqlstate` if PostgreSQL refuses the login (28P01, 3D000, 53300 …).
 */
export async function openSocket(target: ConnectionConfig, timeoutMilliseconds: number): Promise<OpenedSocket> {
  const { address, serverState } = target;
  const [first] = address.hosts;
  if (first && address.hosts.length === 1) return openPrimary(target, first, timeoutMilliseconds);
  const failures: { host: Host; error: ConnectionError }[] = [];
  for (const host of serverState.inOrder(address.hosts)) {
    try {
      return await openPrimary(target, host, Math.min(timeoutMilliseconds, HOST_MILLISECONDS));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      // The last known primary refuses the login itself. A standby could lack what the login names.
      if (serverState.isPrimary(host) && isRefusal(error)) throw error;
      failures.push({ host, error });
    }
  }
  const candidates = failures.filter(({ error }) => !isStandby(error));
  const [refusal] = candidates;
  if (refusal && candidates.every(({ error }) => isRefusal(error))) throw refusal.error;
  const reasons = failures.map(({ host, error }) => `${hostName(host)}: ${error.message}`).join('; ');
  throw new ConnectionError(`no host is a primary that accepts connections (${reasons})`);
}

const isRefusal = ({ sqlstate }: ConnectionError): boolean => sqlstate !== null && sqlstate !== CANNOT_CONNECT;

const STANDBY = 'the server is a standby, which accepts no writes';
const isStandby = ({ message }: ConnectionError): boolean => message === STANDBY;

/** Opens a connection to a host. PostgreSQL reports in_hot_standby at the login, so the check costs no round trip. */
async function openPrimary(target: ConnectionConfig, host: Host, timeoutMilliseconds: number): Promise<OpenedSocket> {
  const opened = await openAt(target, host, timeoutMilliseconds);
  if (opened.reportedSettings.get('in_hot_standby') !== 'on') return opened;
  opened.socket.destroy();
  throw new ConnectionError(STANDBY);
}

/** Opens a connection with TLS if the mode wants it. With `prefer`, a host that refuses TLS is used without. */
async function openAt(target: ConnectionConfig, host: Host, timeoutMilliseconds: number): Promise<OpenedSocket> {
  const { hostsWithoutTls } = target.serverState;
  const { tls: mode, socketFolder } = target.address;
  const name = hostName(host);
  if (mode === 'off' || socketFolder !== null || (mode === 'prefer' && hostsWithoutTls.has(name))) {
    return logIn(target, host, false, timeoutMilliseconds);
  }
  if (mode !== 'prefer') return logIn(target, host, true, timeoutMilliseconds);
  try {
    return await logIn(target, host, true, timeoutMilliseconds);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    if (error.message !== NO_TLS && error.sqlstate !== REFUSED_BY_HBA) throw error;
    const opened = await logIn(target, host, false, timeoutMilliseconds);
    hostsWithoutTls.add(name);
    return opened;
  }
}

/**
 * Connects and logs in. `pg` does TLS, SCRAM and start-up errors; then this function takes its socket. `pg` sends one
 * Sync per query, but Ninefold needs several statements before one Sync and several such batches in flight.
 */
async function logIn(
  target: ConnectionConfig,
  host: Host,
  isEncrypted: boolean,
  timeoutMilliseconds: number,
): Promise<OpenedSocket> {
  const { address } = target;
  const client = new pg.Client({
    host: address.socketFolder ?? host.host,
    port: host.port,
    database: target.database,
    user: target.user,
    password: target.password,
    ssl: isEncrypted ? tlsOptions(address) : false,
    enableChannelBinding: isEncrypted && address.channelBinding !== 'disable',
    application_name: target.applicationName,
    options: startupOptions(target),
    connectionTimeoutMillis: timeoutMilliseconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    ...(target.isReplication && { replication: 'true' }),
  });
  client.on('error', () => undefined);
  const { connection } = client as unknown as ClientInternals;
  const reportedSettings = new Map<string, string>();
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    reportedSettings.set(parameterName, parameterValue);
  });
  const requireBinding = address.channelBinding === 'require' ? requireChannelBinding(connection) : () => undefined;
  try {
    await client.connect();
    requireBinding();
  } catch (error) {
    const failure = asStartupError(error);
    failure.closedSilently = failure.sqlstate === null && wasClosedByServer(connection.stream, error);
    if (failure.sqlstate === UNDEFINED_OBJECT && forgetSetting(target, failure.message)) {
      return logIn(target, host, isEncrypted, timeoutMilliseconds);
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
  return { socket, host, isEncrypted, processId: processID, secretKey, reportedSettings };
}

/**
 * Ends the connection if the server accepts the login without channel binding, before a password is sent. A server in
 * the middle could ask for another way to log in.
 * @returns A function that throws if the login had no channel binding. The whole login can arrive in one read, before
 * the end of the connection is noticed.
 */
function requireChannelBinding(connection: ClientInternals['connection']): () => void {
  let isBound = false;
  const refusal = () => new Error(`channel_binding=require: the server wants a login without ${CHANNEL_BINDING}`);
  connection.prependListener('authenticationSASL', ({ mechanisms = [] }) => {
    isBound = mechanisms.includes(CHANNEL_BINDING);
    if (!isBound) connection.stream.destroy(refusal());
  });
  for (const event of ['authenticationCleartextPassword', 'authenticationMD5Password']) {
    connection.prependListener(event, () => connection.stream.destroy(refusal()));
  }
  return () => {
    if (isBound) return;
    connection.stream.destroy();
    throw refusal();
  };
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
 * Asks the server to cancel the running statement of a session (PostgreSQL manual, "Canceling Requests in Progress"),
 * with TLS if the session has it. Resolves when the server has closed the connection of the request; it has sent the
 * signal by then. Failures are ignored.
 */
export function requestCancel(
  address: ServerAddress,
  { host, isEncrypted, processId, secretKey }: Omit<OpenedSocket, 'socket' | 'reportedSettings'>,
): Promise<void> {
  return new Promise((resolve) => {
    const packet = Buffer.alloc(16);
    packet.writeInt32BE(16, 0);
    packet.writeInt32BE(80877102, 4);
    packet.writeInt32BE(processId, 8);
    packet.writeInt32BE(secretKey, 12);
    const socket = net.connect(
      address.socketFolder === null ? host : { path: `${address.socketFolder}/.s.PGSQL.${host.port}` },
    );
    socket.setTimeout(CANCEL_MILLISECONDS, () => socket.destroy());
    socket.on('connect', () => socket.write(isEncrypted ? SSL_REQUEST : packet));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    if (isEncrypted) socket.once('data', ([answer]) => sendEncrypted(socket, address, host, answer, packet));
    else socket.on('data', () => undefined);
  });
}

/** Sends a packet through TLS after the server has accepted TLS. Nothing is sent without TLS. */
function sendEncrypted(
  socket: net.Socket,
  address: ServerAddress,
  { host }: Host,
  answer: number | undefined,
  packet: Buffer,
): void {
  if (answer !== ACCEPTS_TLS) {
    socket.destroy();
    return;
  }
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const secure = tls.connect({ socket, host, ...servername, ...tlsOptions(address) }, () => secure.write(packet));
  secure.on('error', () => socket.destroy());
  secure.on('data', () => undefined);
}
