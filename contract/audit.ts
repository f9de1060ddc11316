/** An entry of the log of an app's accounts (GoTrue, `auth.audit_log_entries`). */
export interface MemberAuditEntry {
  readonly id: string;
  readonly payload: {
    readonly action: string;
    readonly actor_id: string;
    readonly actor_username: string;
    readonly log_type: string;
    readonly traits?: Readonly<Record<string, unknown>>;
  };
  /** Time of the event in ISO 8601, with microseconds. */
  readonly created_at: string;
  readonly ip_address: string;
}

/**
 * An action of a builder on the node, in the console or with the builder's account, whether it succeeded or was
 * refused.
 */
export interface NodeAuditEntry extends Omit<BuilderAuditEntry, 'request_id'> {
  /** The ref of the app that was created, cloned or deleted; null for other events. */
  readonly app: string | null;
  /** The request that caused the entry; null for an event of an account. */
  readonly request_id: string | null;
}

/** An action of a builder in an app, whether it succeeded or was refused. */
export interface BuilderAuditEntry {
  readonly id: string;
  /** Time of the action in ISO 8601, with microseconds. */
  readonly at: string;
  /** The account of the builder; null for the operator. */
  readonly actor_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The code of the error; null if the call succeeded. */
  readonly refused: string | null;
  readonly ip_address: string;
  readonly request_id: string;
}
