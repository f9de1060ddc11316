import { useCallback, useState } from 'react';
import { readSqlState, type SqlPageState } from './statements.ts';

/** What the SQL page keeps in this browser for an app: draft, history and saved statements. Never sent anywhere. */
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
          // The browser's store is full: what is kept lasts until the page is left.
        }
        return { ...before, kept };
      }),
    [],
  );
  return [state.kept, change];
}
