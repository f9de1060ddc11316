import { useState } from 'react';

/**
 * Shows a long list a portion at a time, and always as far as the selected item, which may have been linked to.
 *
 * @returns what to show, and what shows one portion more
 */
export function usePortion<T>(
  items: readonly T[],
  size: number,
  selected: number,
): { shown: readonly T[]; more: () => void } {
  const [most, setMost] = useState(size);
  const end = Math.max(most, selected + 1);
  return { shown: items.slice(0, end), more: () => setMost(end + size) };
}
