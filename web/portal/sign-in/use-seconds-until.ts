import { useEffect, useState } from 'react';

/** Returns the whole seconds until a time in ms, counted down each second. */
export function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(() => Date.now());
  const isOver = now >= time;
  const [watched, setWatched] = useState(time);
  if (watched !== time) {
    setWatched(time);
    setNow(Date.now());
  }
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOver]);
  return Math.max(0, Math.ceil((time - now) / 1000));
}
