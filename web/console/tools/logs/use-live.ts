import { useMemo, useState } from 'react';
import type { LogSearch } from '../../data/log.ts';

/** Tells whether the log shows new requests as they arrive. */
export interface Live {
  readonly isLive: boolean;
  /** True if the reader paused the log. False if the reader only scrolled. */
  readonly isPaused: boolean;
  readonly toggle: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly setAway: (isAway: boolean) => void;
}

/** Returns whether the log is live. It is, unless the reader paused it, scrolled away from the newest request, or chose a period. */
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
