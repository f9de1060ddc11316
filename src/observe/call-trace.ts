import { limits } from '../../contract/limits.ts';
import type { RefusedTransition } from '../../contract/observed.ts';

/** A relation that a request reads or writes. */
export interface TouchedRelation {
  readonly schema: string;
  readonly name: string;
}

/** The operation of a data request. */
export type TouchedBy = 'select' | 'insert' | 'update' | 'delete' | 'execute';

/**
 * Records one request: the time at which each step ended, in milliseconds of performance.now() (0 for steps that were
 * not reached), and names, but no values. Every request has a trace, so it consists of plain fields.
 */
export class TraceRecorder {
  /** Start in milliseconds since 1970. */
  readonly at = Date.now();
  readonly started = performance.now();
  limited = 0;
  received = 0;
  opened = 0;
  identified = 0;
  planned = 0;
  built = 0;
  ran = 0;
  /** Time when an error was caught. */
  failed = 0;
  ended = 0;
  /** Duration in the database in milliseconds, without the wait for a connection; 0 if unknown. */
  databaseMilliseconds = 0;
  /** Id of the call in chapter 7; null while unknown. */
  call: string | null = null;
  operation: TouchedBy | null = null;
  /** Relations and functions that the request uses; the first is its target. */
  relations: readonly TouchedRelation[] = none;
  /** Text of the statement that gives the result, and the number of its parameters. */
  sql: string | null = null;
  parameters = 0;
  /** The state change that a state machine refused. */
  refused: RefusedTransition | null = null;
  /** Duration in milliseconds from which a request of this app counts as slow. */
  slowMilliseconds: number = limits.slowCallMilliseconds.default;
  /** True if the response contains only a part of the rows, because the limit pageRows applied. */
  cut = false;
}

const none: readonly TouchedRelation[] = [];
