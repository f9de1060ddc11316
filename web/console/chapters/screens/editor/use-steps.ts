import { useState } from 'react';

/** A value that changes in steps, each of which can be undone and done again. */
export interface Steps<T> {
  readonly now: T;
  /**
   * Makes a step.
   * @param typed Name of the field that is typed into. Changes of one field that follow each other are one step.
   */
  readonly change: (how: (before: T) => T, typed?: string | undefined) => void;
  /** Null if there is no step to undo. */
  readonly undo: (() => void) | null;
  /** Null if no step was undone. */
  readonly redo: (() => void) | null;
}

interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
  /** The field that the last step typed into. */
  readonly typed: string | undefined;
}

export function useSteps<T>(initial: T): Steps<T> {
  const [{ past, now, future }, setHistory] = useState<History<T>>({
    ...{ past: [], now: initial, future: [], typed: undefined },
  });
  return {
    now,
    change: (how, typed) =>
      setHistory((all) => ({
        past: typed !== undefined && typed === all.typed ? all.past : [...all.past, all.now],
        ...{ now: how(all.now), future: [], typed },
      })),
    undo:
      past.length === 0
        ? null
        : () =>
            setHistory((all) => {
              const [before] = all.past.slice(-1);
              if (before === undefined) return all;
              return { past: all.past.slice(0, -1), now: before, future: [all.now, ...all.future], typed: undefined };
            }),
    redo:
      future.length === 0
        ? null
        : () =>
            setHistory((all) => {
              const [after, ...rest] = all.future;
              if (after === undefined) return all;
              return { past: [...all.past, all.now], now: after, future: rest, typed: undefined };
            }),
  };
}
