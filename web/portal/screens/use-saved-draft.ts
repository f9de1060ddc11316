import type { Draft } from '../../fields/draft.ts';
import { useCaller } from './gate.tsx';

const KEPT_MILLISECONDS = 7 * 24 * 3_600_000;

/** Stores the typed values of the form for a new row on this device for 7 days. */
export function useSavedDraft(route: string | null) {
  const caller = useCaller();
  const name = `ninefold-draft ${caller?.user.id ?? ''} ${route}`;
  return {
    read: (): Draft | null => (route === null ? null : readDraft(name)),
    write: (draft: Draft): void => {
      if (route !== null) attempt(() => localStorage.setItem(name, JSON.stringify({ at: Date.now(), draft })));
    },
    clear: (): void => {
      attempt(() => localStorage.removeItem(name));
    },
  };
}

function readDraft(name: string): Draft | null {
  return attempt(() => {
    const stored = JSON.parse(localStorage.getItem(name) ?? 'null') as { at: number; draft: Draft } | null;
    return stored && Date.now() - stored.at < KEPT_MILLISECONDS ? stored.draft : null;
  });
}

/** Runs `work`; returns null if the browser refuses to store or its storage is full. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
