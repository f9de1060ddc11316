import { useEffect, useState } from 'react';

/** Returns the current time in ms and updates every ten seconds, so that "2 minutes ago" stays correct. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
