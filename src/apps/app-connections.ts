import { hkdfSync } from 'node:crypto';
import { type ConnectionConfig, loginAt } from '../database/connection-config.ts';
import { type AppRecord, authenticatorRole, ownerRole, serverRole } from './registry/app-record.ts';

/** The data of a record that a login needs. */
type Login = Pick<AppRecord, 'ref' | 'database' | 'authenticatorPassword' | 'host'>;

/**
 * Returns the connection parameters of the app's owner, who runs migrations and the SQL page.
 * @param server The server of the console, with any login. The record names another server if the app lives there.
 */
export const ownerConnection = (server: ConnectionConfig, record: AppRecord): ConnectionConfig => ({
  ...loginAt(record.host?.target ?? server, {
    database: record.database,
    user: ownerRole(record.ref),
    password: record.ownerPassword,
    applicationName: 'ninefold-owner',
  }),
  obeysDatabase: true,
});

/**
 * Returns the connection parameters of the app's authenticator, which runs requests and all statements on schema auth.
 * These statements run code of the app: policies, triggers and functions.
 */
export const authenticatorConnection = (server: ConnectionConfig, record: Login): ConnectionConfig =>
  loginAt(record.host?.target ?? server, {
    database: record.database,
    user: authenticatorRole(record.ref),
    password: record.authenticatorPassword,
    applicationName: 'ninefold',
  });

/**
 * Returns the connection parameters of the app's server role. Its sessions run only Ninefold's own statements on tables
 * on which no code of the app can be defined.
 * @param applicationName The name that pg_stat_activity shows.
 */
export const serverConnection = (
  server: ConnectionConfig,
  record: Login,
  applicationName = 'ninefold-server',
): ConnectionConfig => ({
  ...loginAt(record.host?.target ?? server, {
    database: record.database,
    user: serverRole(record.ref),
    password: serverPassword(record),
    applicationName,
  }),
  searchPath: 'pg_catalog,pg_temp',
  ignoresLockTimeout: true,
});

/** Returns the password of the app's server role. It is derived, so that no record has to store it. */
export const serverPassword = ({ ref, authenticatorPassword }: Pick<Login, 'ref' | 'authenticatorPassword'>): string =>
  Buffer.from(hkdfSync('sha256', authenticatorPassword, ref, 'server role', 24)).toString('base64url');
