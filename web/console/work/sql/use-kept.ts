import { useCallback, useState } from 'react';
import { type Kept, readKept } from './statements.ts';

/** What the SQL page keeps in this browser for an app: draft, history and saved statements. Never sent anywhere. */
export function useKept(ref: string): [Kept, (change: (before: Kept) => Kept) => void] {
  const key = `ninefold-sql ${ref}`;
  const [state, setState] = useState(() => ({ key, kept: readKept(localStorage.getItem(key)) }));
  if (state.key !== key) setState({ key, kept: readKept(localStorage.getItem(key)) });
  const change = useCallback(
    (update: (before: Kept) => Kept) =>
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
