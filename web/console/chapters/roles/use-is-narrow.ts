import { type RefCallback, useCallback, useState } from 'react';

/**
 * Returns whether an element is narrower than a width in px. The value is known before the first paint.
 * @returns the ref of the element, which must fill the width of its parent, and the value
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
