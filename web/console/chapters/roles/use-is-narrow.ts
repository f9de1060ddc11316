import { type RefCallback, useCallback, useState } from 'react';

/**
 * Whether an element has less room than a width in px; known before it is first painted.
 *
 * @returns the ref of the element, which must be as wide as its surroundings let it
 */
export function useIsNarrow(min: number): { ref: RefCallback<HTMLElement>; narrow: boolean } {
  const [narrow, setNarrow] = useState(false);
  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return;
      const look = () => setNarrow(element.clientWidth < min);
      look();
      const observer = new ResizeObserver(look);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [min],
  );
  return { ref, narrow };
}
