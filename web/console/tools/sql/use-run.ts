import { useCallback, useEffect, useRef, useState } from 'react';
import type { SqlResponse } from '../../../../contract/admin.ts';
import { entityKeys } from '../../queries/entities.ts';
import { queryClient } from '../../queries/query-client.ts';
import { rowKeys } from '../../queries/rows/keys.ts';
import { specificationKeys } from '../../queries/specification.ts';
import { runSql } from '../../queries/sql.ts';

/** How a run ended: with results, with an error, or by a cancellation. */
export type Ending =
  | { kind: 'done'; response: SqlResponse }
  | { kind: 'failed'; error: Error }
  | { kind: 'cancelled'; after: number };

/** The last run. `number` distinguishes a run from the one before it. */
export interface Run {
  number: number;
  sql: string;
  /** Where the executed SQL begins in the text of the editor. */
  offset: number;
  /** The text of the editor at the time of the run. */
  text: string;
  ending: Ending;
}

/** Matches statements that change nothing on other pages. */
const onlyReads = /^(SELECT|SHOW|EXPLAIN|VALUES|TABLE|FETCH)\b/;

/** Runs SQL, one run at a time. Returns the start of the active run and the end of the last run. */
export function useRun(ref: string) {
  const [running, setRunning] = useState<{ since: number } | null>(null);
  const [last, setLast] = useState<Run | null>(null);
  const abort = useRef<AbortController | null>(null);
  const number = useRef(0);
  useEffect(() => () => abort.current?.abort(), []);

  const start = useCallback(
    async (asked: Omit<Run, 'ending' | 'number'>): Promise<Ending | null> => {
      if (abort.current) return null;
      const controller = new AbortController();
      abort.current = controller;
      const since = performance.now();
      setRunning({ since: Date.now() });
      let ending: Ending;
      try {
        const response = await runSql(ref, asked.sql, controller.signal);
        ending = { kind: 'done', response };
        if (response.results.some(({ command }) => !onlyReads.test(command))) forget(ref);
      } catch (cause) {
        ending = controller.signal.aborted
          ? { kind: 'cancelled', after: performance.now() - since }
          : { kind: 'failed', error: cause instanceof Error ? cause : new Error(String(cause)) };
      }
      abort.current = null;
      number.current += 1;
      setRunning(null);
      setLast({ ...asked, number: number.current, ending });
      return ending;
    },
    [ref],
  );
  const cancel = useCallback(() => abort.current?.abort(), []);
  return { running, last, start, cancel };
}

/** Clears the cached data of other pages, because statements may have changed anything. */
function forget(ref: string): void {
  void queryClient.invalidateQueries({ queryKey: entityKeys.list(ref) });
  void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
  void queryClient.invalidateQueries({ queryKey: rowKeys.app(ref) });
}
