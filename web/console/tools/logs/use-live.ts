import { useMemo, useState } from 'react';
import type { LogSearch } from '../../data/log.ts';

/** Whether new requests appear by themselves. */
export interface Live {
  readonly isLive: boolean;
  /** True if the reader paused, and not only scrolled. */
  readonly isPaused: boolean;
  readonly toggle: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly setAway: (isAway: boolean) => void;
}

/** The list is live unless the reader paused, scrolled away from the newest request, or chose a period. */
export function useLive({ from }: LogSearch): Live {
  const [isPaused, setPaused] = useState(false);
  const [isAway, setAway] = useState(false);
  return {
    isLive: !isPaused && !isAway && from === undefined,
    isPaused: isPaused || from !== undefined,
    toggle: useMemo(() => () => setPaused((before) => !before), []),
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    setAway,
  };
}
