import { useMemo, useState, useSyncExternalStore } from 'react';
import type { LogSearch } from '../../queries/log.ts';

/** State of the live log, which shows new requests as they arrive. */
export interface Live {
  readonly isLive: boolean;
  /** True if the reader paused the log. False if the reader only scrolled or selected text. */
  readonly isPaused: boolean;
  readonly toggle: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly setAway: (isAway: boolean) => void;
}

/**
 * Returns whether the log is live. It is, unless the reader paused it, scrolled away from the newest request, selected
 * text or chose a period.
 */
export function useLive({ from }: LogSearch): Live {
  const [isPaused, setPaused] = useState(false);
  const [isAway, setAway] = useState(false);
  const isSelecting = useSyncExternalStore(onSelection, hasSelection);
  return {
    isLive: !isPaused && !isAway && !isSelecting && from === undefined,
    isPaused: isPaused || from !== undefined,
    toggle: useMemo(() => () => setPaused((before) => !before), []),
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    setAway,
  };
}

function onSelection(listener: () => void): () => void {
  document.addEventListener('selectionchange', listener);
  return () => document.removeEventListener('selectionchange', listener);
}

const hasSelection = (): boolean => getSelection()?.isCollapsed === false;
