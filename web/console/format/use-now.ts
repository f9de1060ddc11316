import { useEffect, useState } from 'react';

/** The time in ms, renewed every ten seconds, so that "2 minutes ago" stays true. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
