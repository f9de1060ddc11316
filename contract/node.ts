/** The figures of a node for its owners. */
export interface NodeFigures {
  /** Time of the figures, in ISO 8601. */
  at: string;
  /** Time at which the node started, in ISO 8601. */
  started_at: string;
  workers: number;
  postgres: {
    /** False if the server did not answer. The other figures of the server are null then. */
    up: boolean;
    version: string | null;
    embedded: boolean;
    connections: number | null;
    max_connections: number | null;
    oldest_transaction_seconds: number | null;
    frozen_xid_age: number | null;
  };
  /** The file system of NINEFOLD_HOME. */
  disk: NodeCapacity | null;
  /** Memory of the machine. */
  memory: NodeCapacity;
  cores: number;
  /** One point a minute since the node started, at most for 24 hours, the oldest first. */
  history: NodeMinute[];
  /** The apps with the most calls of the last five minutes, the busiest first, and those with the largest databases. */
  apps: AppLoad[];
  /** Number of all apps. */
  app_count: number;
  /** Bytes of the databases of all apps; null until they are measured. */
  database_bytes: number | null;
  jobs: { running: number; succeeded: number; failed: number };
  /** The queues of mails and texts by app, the oldest first; null if another node leads the scheduled work. */
  mails: { app: string; waiting: number; since: string }[] | null;
  calls_in_flight: number;
  calls_waiting_for_connection: number;
  /** Lines of the log that could not be written. */
  lost_log_lines: number;
  /** Null if the node has no backup. */
  backup: NodeBackup | null;
}

interface NodeCapacity {
  used_bytes: number;
  size_bytes: number;
}

/** The ages of the backup and the drill and the changes that a loss would cost, in seconds; null if not known. */
export interface NodeBackup {
  loss_window_seconds: number | null;
  backup_age_seconds: number | null;
  drill_age_seconds: number | null;
}

export interface NodeMinute {
  /** In ISO 8601. */
  at: string;
  calls_per_second: number;
  /** Share of the machine's processors in use, from 0 to 1. */
  processor: number;
  memory_bytes: number;
  /** Null if the file system cannot be read. */
  disk_bytes: number | null;
}

export interface AppLoad {
  ref: string;
  calls_per_second: number;
  /** Share of the calls with a status from 500, from 0 to 1. */
  failed: number;
  /** Upper bounds of the time in which half, and 99 of 100, of the calls were answered; null without calls. */
  p50_seconds: number | null;
  p99_seconds: number | null;
  /** Null until the database is measured. */
  database_bytes: number | null;
}
