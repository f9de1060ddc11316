import { useCallback, useState } from 'react';
import { type LogSearch, readLogSearch } from '../../queries/log.ts';

type Saved = readonly (readonly [name: string, search: LogSearch])[];

const storageKey = (ref: string) => `ninefold-log-searches ${ref}`;

function read(key: string): Saved {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return Object.entries(stored ?? {}).map(([name, search]) => [name, readLogSearch(search ?? {})]);
  } catch {
    return [];
  }
}

/** Returns the saved searches of an app, which this browser stores. */
export function useSavedSearches(ref: string) {
  const key = storageKey(ref);
  const [saved, setSaved] = useState(() => read(key));
  const write = useCallback(
    (all: Saved) => {
      localStorage.setItem(key, JSON.stringify(Object.fromEntries(all)));
      setSaved(all);
    },
    [key],
  );
  const others = (name: string) => saved.filter(([one]) => one !== name);
  return {
    saved,
    save: (name: string, { from: _from, to: _to, window: _window, ...search }: LogSearch) =>
      write([...others(name), [name, search]]),
    remove: (name: string) => write(others(name)),
  };
}

/** Returns true if two searches have the same filters, whatever their period. Pure. */
export function sameSearch(a: LogSearch, b: LogSearch): boolean {
  const filters = ({ from: _from, to: _to, window: _window, ...rest }: LogSearch) =>
    JSON.stringify(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)));
  return filters(a) === filters(b);
}
