import type { FileOperation } from './specification-files.ts';
import type { Operation, TopicOperation, Verdict } from './specification-roles.ts';

/**
 * The state of the probe, which compares the cells of chapter 6 with statements that are really executed. It is the
 * response of GET and POST /admin/v1/apps/:ref/probe.
 */
export interface ProbeState {
  /** The current run on any worker; null if there is none. */
  running: {
    /** Time at which the run started, in ISO 8601. */
    started_at: string;
    /**
     * The number of completed steps, and the total number. Each entity is one step. Up to 60 cells of functions
     * together are also one step.
     */
    done: number;
    total: number;
  } | null;
  /**
   * The report of the last completed run. Null if there is none, and during a run, because the report is large and
   * clients request it often then.
   */
  last: ProbeReport | null;
}

export interface ProbeReport {
  /** Time at which the run started, in ISO 8601. */
  started_at: string;
  finished_at: string;
  /** The hash of the probed specification. If the app's current hash differs, the report describes an older state. */
  hash: string;
  /** Number of statements that were executed and rolled back. */
  attempts: number;
  agree: number;
  disagree: number;
  not_probed: number;
  /** The probed cells, in the order of the matrix. */
  cells: ProbedCell[];
  /** The probed cells of files. Absent if the app has no bucket. */
  files?: ProbedFileCell[];
  /** The probed cells of private channels. Absent if the app does not use realtime. */
  topics?: ProbedTopicCell[];
}

/** A cell of chapter 6 on private channels, with the statements that tested it. */
export interface ProbedTopicCell extends Omit<ProbedCell, 'entity' | 'operation'> {
  topic: string;
  operation: TopicOperation;
}

/** A cell of chapter 6 on the files of a bucket, with the statements of `/storage/v1` that tested it. */
export interface ProbedFileCell extends Omit<ProbedCell, 'entity' | 'operation'> {
  bucket: string;
  operation: FileOperation;
}

export interface ProbedCell {
  role: string;
  entity: string;
  operation: Operation;
  /** The verdict that chapter 6 gives for the cell. */
  verdict: Verdict;
  outcome: 'agrees' | 'disagrees' | 'not probed';
  /** Why the probe skipped the cell, or a remark about its result; null if there is none. */
  note: string | null;
  attempts: ProbeAttempt[];
}

/** One statement that was executed as a caller and rolled back. */
export interface ProbeAttempt {
  /** The caller in words: "without a session", "as a member", "with the secret key". */
  as: string;
  /** The row in words: "own row (id 3)", "another member’s row (id 4)", "a new row of one’s own". */
  row: string;
  /**
   * allowed: the statement reached the row. hidden: the statement found no row. refused: PostgreSQL refused the
   * statement for a missing privilege. stopped: another error, of a rule, a trigger or a function, so the result says
   * nothing about privileges.
   */
  result: 'allowed' | 'hidden' | 'refused' | 'stopped';
  /** The result that the verdict predicts; null if it predicts nothing for this row. */
  expected: 'allowed' | 'not allowed' | null;
  agrees: boolean;
  /** If the result disagrees with the verdict or was stopped: the statement, followed by PostgreSQL’s response. */
  sql?: string;
  answer?: string;
}
