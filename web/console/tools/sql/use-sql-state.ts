import { useCallback, useState } from 'react';
import { readSqlState, type SqlPageState } from './statements.ts';

/**
 * Returns and changes the state of the SQL page for an app: draft, history and saved statements. The state is stored in
 * this browser and never sent.
 */
export function useSqlState(ref: string): [SqlPageState, (change: (before: SqlPageState) => SqlPageState) => void] {
  const key = `ninefold-sql ${ref}`;
  const [state, setState] = useState(() => ({ key, kept: readSqlState(localStorage.getItem(key)) }));
  if (state.key !== key) setState({ key, kept: readSqlState(localStorage.getItem(key)) });
  const change = useCallback(
    (update: (before: SqlPageState) => SqlPageState) =>
      setState((before) => {
        const kept = update(before.kept);
        try {
          localStorage.setItem(before.key, JSON.stringify(kept));
        } catch {
          // The browser's storage is full, so the state lasts only until the page is closed.
        }
        return { ...before, kept };
      }),
    [],
  );
  return [state.kept, change];
}
