import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { AppKeys } from '../apps/app-keys.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import type { CallTrace } from '../observe/call-trace.ts';
import type { Events } from '../observe/events.ts';

/** What a call of `/auth/v1` works with. */
export interface AuthContext {
  readonly app: AppKeys;
  /** The app's database, logged in as its authenticator. */
  readonly database: Database;
  /** Who is calling; asked only by calls that must know. */
  readonly identity: () => Promise<Identity>;
  readonly settings: AuthSettings;
  readonly events: Events;
  /** What the call tells of itself. */
  readonly trace?: CallTrace;
  /** The clock, in milliseconds since 1970; the system's when absent. */
  readonly now?: () => number;
}

/** The time, in milliseconds since 1970. */
export const timeOf = (context: AuthContext): number => (context.now ?? Date.now)();
