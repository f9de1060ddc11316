import type { Operation, Verdict } from './specification-roles.ts';

/** GET and POST /admin/v1/apps/:ref/probe: the cells of chapter 6, held against statements that were really tried. */
export interface ProbeState {
  /** The run that is under way, on whatever worker; null where there is none. */
  running: {
    /** ISO 8601. */
    started_at: string;
    /** Steps that are done, of how many: each entity is one, and so are up to 60 cells of functions together. */
    done: number;
    total: number;
  } | null;
  /** The last run that came to its end; null where there was none, and while one is under way: it is large, and asked for often. */
  last: ProbeReport | null;
}

export interface ProbeReport {
  /** ISO 8601. */
  started_at: string;
  finished_at: string;
  /** Of the specification that was probed: where the app has another one by now, the report speaks of what was. */
  hash: string;
  /** Statements that were tried and taken back. */
  tries: number;
  agree: number;
  disagree: number;
  not_probed: number;
  /** In the order of the matrix. */
  cells: ProbedCell[];
}

export interface ProbedCell {
  role: string;
  entity: string;
  operation: Operation;
  /** What chapter 6 claims. */
  verdict: Verdict;
  outcome: 'agrees' | 'disagrees' | 'not probed';
  /** Why it was not probed; of others, what is to be known of how it was; null for nothing. */
  note: string | null;
  tries: ProbeTry[];
}

/** One statement that was tried as somebody and taken back. */
export interface ProbeTry {
  /** "without a session", "as a member", "with the secret key". */
  as: string;
  /** Which row: "own row (id 3)", "another member’s row (id 4)", "a new row of one’s own". */
  row: string;
  /**
   * allowed: it reached the row. hidden: it found none. refused: PostgreSQL answered with an error for lack of rights. stopped:
   * another error, from a rule, a trigger or a function, so that nothing can be said of the rights.
   */
  met: 'allowed' | 'hidden' | 'refused' | 'stopped';
  /** What the claim says it should have met; null where it says nothing of this row. */
  claimed: 'allowed' | 'not allowed' | null;
  agrees: boolean;
  /** Where it disagrees or was stopped: the statement, and PostgreSQL’s answer. */
  sql?: string;
  answer?: string;
}
