/** The state of a node's backups, which the backup process writes and the console, the CLI and the metrics read. */
export interface BackupState {
  /** Where backups are stored, for people: a folder, or a bucket with its server. */
  readonly target: string;
  /** Milliseconds since 1970 at which the process wrote this state. A process that ended leaves an old state. */
  readonly writtenAt: number;
  /** True while the server sends its WAL. */
  readonly isStreaming: boolean;
  /** The target had all WAL of the server at this time, ISO 8601; null if it has never been so. */
  readonly completeAt: string | null;
  /** The last failure since the last success; null if the backups work. */
  readonly failure: { readonly at: string; readonly message: string } | null;
  /** The work of the process besides receiving WAL; null if there is none. */
  readonly running: BackupWork | null;
  /** The base backups, the newest first. */
  readonly backups: readonly BackupSummary[];
  /** The node can be restored to any time from here on; null without a backup. */
  readonly restorableFrom: string | null;
  /** False until `ninefold backup phrase` has been run: then backups can be read only with the secrets in the home. */
  readonly hasPhrase: boolean;
  /** The last restore of a backup for proof; null if there was none. */
  readonly drill: DrillResult | null;
  /** The last restores of single apps, the newest first. */
  readonly appRestores: readonly AppRestore[];
}

/** A restore of one app under another ref. */
export interface AppRestore {
  readonly ref: string;
  readonly at: string;
  readonly as: string;
  readonly finishedAt: string;
  /** Why the restore failed; null if the copy lives. */
  readonly failure: string | null;
  readonly rows: number;
  /** Files whose bytes were neither on the node nor in the backup. */
  readonly missingFiles: number;
}

export interface BackupWork {
  readonly kind: 'base' | 'drill' | 'app';
  readonly startedAt: string;
  /** Bytes so far, and all bytes as far as they are known. */
  readonly bytes: number;
  readonly total: number | null;
}

/** What chapter 9 of each app says of the backups of its node. */
export interface BackupFigures {
  /** The end of the last base backup, ISO 8601; null if there is none. */
  readonly backup_at: string | null;
  /** All changes until this time are in the backup, ISO 8601. */
  readonly complete_at: string | null;
  /** The last restore for proof; null if there was none. */
  readonly drill: { readonly at: string; readonly is_passed: boolean } | null;
}

/** Returns what chapter 9 says. Pure. */
export const backupFigures = ({ backups, completeAt, drill }: BackupState): BackupFigures => ({
  backup_at: backups[0]?.finishedAt ?? null,
  complete_at: completeAt,
  drill: drill && { at: drill.finishedAt, is_passed: drill.isPassed },
});

export interface BackupSummary {
  readonly id: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Bytes of the data folder, and of the backup in the target. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** True if a drill has restored it. */
  readonly isProven: boolean;
}

/** The result of a drill: a restore of the newest backup into a scratch folder, to a time of the last day. */
export interface DrillResult {
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The id of the base backup; empty if the restore failed. */
  readonly backup: string;
  /** The version of Ninefold that made the drill, with its build. */
  readonly ninefold: string;
  /** The time that was restored, ISO 8601. */
  readonly restoredTo: string;
  readonly isPassed: boolean;
  /** One line for each check, the failed ones first. */
  readonly checks: readonly DrillCheck[];
}

export interface DrillCheck {
  /** The app; null for the node as a whole. */
  readonly app: string | null;
  readonly check: 'restore' | 'opens' | 'indexes' | 'rows' | 'specification' | 'canary';
  readonly isPassed: boolean;
  readonly detail: string;
}

/** Requests to the backup process. */
export const backupRequests = ['base', 'drill'] as const;
export type BackupRequest = (typeof backupRequests)[number];

/** A time before an update of the schemas to which `ninefold rollback` returns. */
export interface RestorePoint {
  /** ISO 8601. */
  readonly at: string;
  /** The versions of Ninefold before and after. */
  readonly from: string;
  readonly to: string;
}

/** The page of backups. */
export interface BackupPage {
  /** Time of the response, ISO 8601. */
  readonly at: string;
  /** Null if the node takes no backups, or its first state is not written yet. */
  readonly state: BackupState | null;
  /** True if the backups are below the home of the node, so that one disk has both. */
  readonly is_target_in_home: boolean;
  readonly restore_points: readonly RestorePoint[];
}

/** A new recovery phrase, which is shown once. */
export interface RecoveryPhrase {
  readonly phrase: string;
}

/** A request to restore one app. */
export interface AppRestoreBody {
  /** The ref in the backup. The app may have been deleted since. */
  readonly ref: string;
  /** ISO 8601. */
  readonly at: string;
  /** The ref of the copy. */
  readonly as: string;
}
