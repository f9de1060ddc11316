import { type RefObject, use, useEffect, useRef, useState } from 'react';
import { PreviewQueueContext } from './preview-queue.ts';

/**
 * Returns true once a picture may load: when it is visible and its turn has come. The returned function reports that the
 * picture is complete.
 * @param isPicture False for a preview that starts at once.
 */
export function useTurn(
  place: RefObject<Element | null>,
  isPicture: boolean,
): [isStarted: boolean, settle: () => void] {
  const queue = use(PreviewQueueContext);
  const waits = isPicture && queue !== null;
  const [isStarted, setStarted] = useState(false);
  const settle = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (!waits || !place.current) return;
    const entry = queue.enter(setStarted);
    settle.current = entry.settle;
    const observer = new IntersectionObserver(([seen]) => entry.see(seen?.isIntersecting === true));
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      entry.leave();
    };
  }, [queue, waits, place]);
  return [!waits || isStarted, () => settle.current()];
}
