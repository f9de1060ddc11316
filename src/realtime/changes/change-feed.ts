import type { Identity } from '../../identity/identity.ts';

/** One entry of `postgres_changes` in a join. */
export interface ChangeRequest {
  /** Id of the entry in the messages of the channel. */
  readonly id: number;
  readonly event: 'INSERT' | 'UPDATE' | 'DELETE' | '*';
  /** Schema or `*`. */
  readonly schema: string;
  /** Table or `*`. */
  readonly table: string;
  /** A condition such as `id=eq.1`; null without one. */
  readonly filter: string | null;
  /** The columns that the records contain; null for all. */
  readonly select: readonly string[] | null;
}

/** Receives the changes of one channel. */
export interface ChangeSink {
  /**
   * Delivers one change.
   * @param ids Ids of the entries that the change matches.
   * @param data JSON of the field `data` of the message. All sinks with the same view of the change share it.
   */
  deliver(ids: readonly number[], data: Buffer): void;
  /** Called once, when every later change will be delivered. */
  onReady(): void;
  /** Called once, when changes may be missing or a policy raises an error. The client must join and read again. */
  onEnd(reason: string): void;
}

/** The changes of one channel. */
export interface ChangeSubscription {
  /** Uses another identity for all later changes. */
  setIdentity(identity: Identity): void;
  close(): void;
}

/** The changes of one app in one worker. */
export interface ChangeFeed {
  /**
   * Delivers the changes that match one of the entries and that the caller may see.
   * @throws NinefoldError for an entry that cannot be followed.
   */
  subscribe(requests: readonly ChangeRequest[], identity: Identity, sink: ChangeSink): Promise<ChangeSubscription>;
  /** Reads now and not only at the next poll, because the API has just written. */
  poke(): void;
  close(): void;
}
