import { useRef } from 'react';
import type { Draft } from '../../../fields/draft.ts';
import type { FormFilesStore, StoredFormFiles } from '../../../files/form-files.ts';
import type { Row } from '../../queries/rest.ts';
import { useCaller } from '../shell/gate.tsx';

const KEPT_MILLISECONDS = 7 * 24 * 3_600_000;

/** The typed values of a form, and the stored values that these fields had when the member began to type. */
export interface SavedDraft {
  readonly draft: Draft;
  readonly before: Row;
}

/**
 * Stores the typed values of a form on this device for 7 days, so that a reload, a lost connection or the end of the
 * session does not lose them.
 * @param place Identifies the form, and the row that it changes or to which it adds a row.
 */
export function useSavedDraft(place: string) {
  const caller = useCaller();
  const name = `ninefold-draft ${caller?.user.id ?? ''} ${place}`;
  const before = useRef<Row>({});
  return {
    read: (): SavedDraft | null => {
      const saved = readDraft(name);
      before.current = saved?.before ?? {};
      return saved;
    },
    /** @param row The row as it is stored; null for a new row. */
    write: (draft: Draft, row: Row | null): void => {
      const names = row === null ? [] : Object.keys(draft);
      before.current = Object.fromEntries(
        names.map((field) => [field, Object.hasOwn(before.current, field) ? before.current[field] : row?.[field]]),
      );
      attempt(() => localStorage.setItem(name, JSON.stringify({ at: Date.now(), draft, before: before.current })));
    },
    clear: (): void => {
      attempt(() => localStorage.removeItem(name));
    },
  };
}

function readDraft(name: string): SavedDraft | null {
  const stored = fresh<SavedDraft>(name);
  return stored && { draft: stored.draft, before: stored.before ?? {} };
}

/** Stores what a form has uploaded, for as long as its draft. */
export function useFilesStore(place: string): FormFilesStore {
  const name = `ninefold-files ${useCaller()?.user.id ?? ''} ${place}`;
  return {
    read: () => fresh<StoredFormFiles>(name),
    write: (files) => {
      attempt(() =>
        files === null
          ? localStorage.removeItem(name)
          : localStorage.setItem(name, JSON.stringify({ at: Date.now(), ...files })),
      );
    },
  };
}

/** Reads what was stored at most KEPT_MILLISECONDS ago. */
const fresh = <T>(name: string): T | null =>
  attempt(() => {
    const stored = JSON.parse(localStorage.getItem(name) ?? 'null') as (T & { at: number }) | null;
    return stored && Date.now() - stored.at < KEPT_MILLISECONDS ? stored : null;
  });

/** Runs `work`. Returns null if the browser refuses access to its storage, or if its storage is full. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
