import { limits } from '../../contract/limits.ts';
import type { RefusedTransition } from '../../contract/observed.ts';

/** A relation that a call reads or writes. */
export interface TouchedRelation {
  readonly schema: string;
  readonly name: string;
}

export type TouchedBy = 'select' | 'insert' | 'update' | 'delete' | 'execute';

/**
 * Records one call: the moment at which each step ended, in milliseconds of performance.now(), 0 for a step that it did not reach; and
 * names, never a value. Every call has one, so it is nothing but fields to be set.
 */
export class CallTrace {
  /** In milliseconds since 1970. */
  readonly at = Date.now();
  readonly started = performance.now();
  limited = 0;
  received = 0;
  opened = 0;
  identified = 0;
  planned = 0;
  built = 0;
  ran = 0;
  /** When an error was caught. */
  failed = 0;
  ended = 0;
  /** How long the database was at it, waiting for a connection not counted; 0 where that is not known. */
  databaseMilliseconds = 0;
  /** The call's id in chapter 7; null until it is known. */
  call: string | null = null;
  operation: TouchedBy | null = null;
  /** The relations and functions that the call uses; the first is its target. */
  relations: readonly TouchedRelation[] = none;
  /** The statement that gives the result: its text, and how many values go with it. */
  sql: string | null = null;
  parameters = 0;
  /** The state change that a state machine refused. */
  refused: RefusedTransition | null = null;
  /** After how long it is slow, as the app's settings have it. */
  slowMilliseconds: number = limits.slowCallMilliseconds.default;
  /** The app answered in a part: the page was cut at the limit pageRows. */
  cut = false;
}

const none: readonly TouchedRelation[] = [];
