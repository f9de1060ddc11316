import { useCallback, useState } from 'react';

const storageKey = (ref: string, entity: string) => `ninefold-hidden-columns ${ref} ${entity}`;

function read(key: string): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
  } catch {
    return new Set();
  }
}

/** Returns and changes the hidden columns of a table, which this browser stores. */
export function useHiddenColumns(
  ref: string,
  entity: string,
): [ReadonlySet<string>, (hidden: ReadonlySet<string>) => void] {
  const key = storageKey(ref, entity);
  const [state, setState] = useState(() => ({ key, hidden: read(key) }));
  if (state.key !== key) setState({ key, hidden: read(key) });
  const set = useCallback(
    (hidden: ReadonlySet<string>) => {
      localStorage.setItem(key, JSON.stringify([...hidden]));
      setState({ key, hidden });
    },
    [key],
  );
  return [state.hidden, set];
}
