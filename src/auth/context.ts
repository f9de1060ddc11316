import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { CommonHashes } from '../accounts/passwords/common-hashes.ts';
import type { LeakedPasswords } from '../accounts/passwords/leaked-passwords.ts';
import type { AppPasswords } from '../accounts/passwords/passwords.ts';
import type { AppKeys } from '../apps/keys/app-keys.ts';
import type { KeyUses } from '../apps/keys/key-uses.ts';
import type { Secrets } from '../apps/registry/app-secrets.ts';
import type { Origins } from '../apps/registry/origins.ts';
import type { HookDurations } from '../apps/statistics/hook-durations.ts';
import type { Database } from '../database/database.ts';
import type { Identity } from '../identity/identity.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import type { RateRefusal, SharedRuns } from '../limits/shared-runs.ts';
import type { Events, TraceRecorder } from '../observe/events.ts';
import type { ProviderClients } from './providers/provider-client.ts';

/** The dependencies of a call of `/auth/v1`. */
export interface AuthContext {
  readonly app: AppKeys;
  /** The app's database, with a connection of the app's authenticator. */
  readonly database: Database;
  /** Returns the caller. A call uses it only if it needs to know the caller. */
  readonly identity: () => Promise<Identity>;
  readonly settings: AuthSettings;
  /** Combines the counts of concurrent calls by the same client. Each worker has one for each app. */
  readonly rateCounts: SharedRuns<RateRefusal | null>;
  /** The common schemes of the app's password hashes. */
  readonly commonHashes: CommonHashes;
  readonly hookDurations: HookDurations;
  /** The secret settings, such as the client secrets of providers. */
  readonly secrets: Secrets;
  /**
   * Returns a key of this app that no role of the app's database can read. It encrypts values that only this node may
   * decrypt.
   */
  readonly nodeKey: () => Buffer;
  readonly origins: Origins;
  /** Decides which addresses requests to providers may reach. */
  readonly addresses: AddressPolicy;
  /** Computes the password hashes of the app's accounts. */
  readonly passwords: AppPasswords;
  /** The providers whose endpoints and keys this worker has read. */
  readonly providerClients: ProviderClients;
  readonly events: Events;
  /** The app's own origin; absent or null if no host name leads to it. */
  readonly appOrigin?: string | null;
  /** Checks for leaked passwords. Without it no password is refused as leaked. */
  readonly leakedPasswords?: LeakedPasswords;
  /** The setting jwt_role_claim_key; `.role` if missing. */
  readonly roleClaimKey?: string;
  /** Counts the uses of API keys. */
  readonly keyUses?: Pick<KeyUses, 'add'>;
  /** Records the steps of the call. */
  readonly trace?: TraceRecorder;
  /** Returns the time in milliseconds since 1970; the system's clock if absent. */
  readonly now?: () => number;
}

/** Returns the time in milliseconds since 1970. */
export const timeOf = (context: AuthContext): number => (context.now ?? Date.now)();
