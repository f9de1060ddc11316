import type { RightName } from '../../../contract/server-rights.ts';
import type { ConnectionConfig } from '../../database/connection-config.ts';
import type { AppKeys } from '../keys/app-keys.ts';

/** All data that a node needs to serve an app. */
export interface AppRecord extends AppKeys {
  readonly name: string;
  readonly database: string;
  /** Name of the last applied file of Ninefold's own schema. */
  readonly schemaFile: string;
  /** Passwords of the app's owner and authenticator. The password of the server role is derived. */
  readonly ownerPassword: string;
  readonly authenticatorPassword: string;
  /** Time of creation in ISO 8601. */
  readonly createdAt: string;
  /** The ref of the app's PostgreSQL server; absent for an app on the server of the console. */
  readonly serverRef?: string;
  /** How to reach that server. */
  readonly host?: AppHost;
  /** True while the app is moved to another server. No node serves it then. */
  readonly isMoving?: true;
}

/** A PostgreSQL server besides that of the console. */
export interface AppHost {
  /** Connection parameters of the login that owns the databases there; `database` is the maintenance database. */
  readonly target: ConnectionConfig;
  readonly missingRights: readonly RightName[];
}

/** The encrypted part of a record; the rest is in the console's table `apps`. */
export type AppSecrets = Omit<AppRecord, keyof AppEntry | 'host'>;

/** The part of a record in the console's table `apps`, which is not secret. */
export type AppEntry = Pick<
  AppRecord,
  'ref' | 'name' | 'database' | 'schemaFile' | 'createdAt' | 'serverRef' | 'isMoving'
>;

/** Pattern of a ref, the short name of an app in URLs. */
export const REF = /^[a-z][a-z0-9-]{2,39}$/;

/** Returns the name of an app's database. */
export const databaseName = (ref: string): string => `app_${ref}`;
/** Returns the role that owns the app's database and everything that its migrations create. */
export const ownerRole = (ref: string): string => `app_${ref}`;
/** Returns the role with which the server logs in to do its own work in the app's database. */
export const serverRole = (ref: string): string => `app_${ref}_server`;
/** Returns the role with which the server logs in to serve the app's requests. */
export const authenticatorRole = (ref: string): string => `app_${ref}_authenticator`;
/** Returns the role whose password verifier is the key of the app's Vault. It cannot log in. */
export const vaultRole = (ref: string): string => `app_${ref}_vault`;
/** Returns the login that creates the app's objects while its database is copied from another server. */
export const transferRole = (ref: string): string => `app_${ref}_transfer`;

/** Returns true for an app on a database that existed before. Such a database stays when the app is deleted. */
export const isAttached = (record: Pick<AppRecord, 'ref' | 'database'>): boolean =>
  record.database !== databaseName(record.ref);

/** SQL with the two keys of an app's advisory lock; the ref is $1. */
export const APP_LOCK = '9009, pg_catalog.hashtext($1)';

/** Ref of the app that is the console itself. */
export const CONSOLE_REF = 'console';
/** Name of the database that new apps are copied from. */
export const TEMPLATE_DATABASE = 'ninefold_template';
/** Name of the database in which nodes take locks and create databases and roles. */
export const MAINTENANCE_DATABASE = 'ninefold_maintenance';

/** The search path with which an app's database is created, in SQL and in PostgreSQL's output. */
export const appSearchPath = '"$user", public, extensions';
