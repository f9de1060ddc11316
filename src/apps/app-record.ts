import type { AppKeys } from './app-keys.ts';

/** All that a node must know to serve an app. */
export interface AppRecord extends AppKeys {
  readonly name: string;
  readonly database: string;
  /** The last file of Ninefold's own schema that the database has. */
  readonly schemaFile: string;
  /** Passwords of the app's two login roles. */
  readonly ownerPassword: string;
  readonly authenticatorPassword: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The sealed part of a record; the rest is in the console's table `apps`. */
export type AppSecrets = Omit<AppRecord, keyof AppEntry>;

/** The part of a record that is in the console's table `apps`; none of it is secret. */
export type AppEntry = Pick<AppRecord, 'ref' | 'name' | 'database' | 'schemaFile' | 'createdAt'>;

/** A ref: the short name of an app in URLs. */
export const REF = /^[a-z][a-z0-9-]{2,39}$/;

export const databaseName = (ref: string): string => `app_${ref}`;
/** The role that owns the app's database and everything its migrations make. */
export const ownerRole = (ref: string): string => `app_${ref}`;
/** The role as which the server logs in to serve the app's calls. */
export const authenticatorRole = (ref: string): string => `app_${ref}_authenticator`;

/** True for an app that was made on a database which was there before it, and which it leaves behind when it is deleted. */
export const isAttached = (record: Pick<AppRecord, 'ref' | 'database'>): boolean =>
  record.database !== databaseName(record.ref);

/** The key of an app's advisory lock; the ref is $1. */
export const APP_LOCK = '9009, pg_catalog.hashtext($1)';

export const CONSOLE_REF = 'console';
export const TEMPLATE_DATABASE = 'ninefold_template';
