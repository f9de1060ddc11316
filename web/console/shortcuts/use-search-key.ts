import { type RefObject, useMemo, useRef } from 'react';
import { useKeys } from '../../ui/shortcuts/keyboard.tsx';

/**
 * Binds F, which focuses the search field of a page.
 * @param group Heading of the key in the list of keys.
 * @returns The ref of the field.
 */
export function useSearchKey(group: string): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useKeys(useMemo(() => [{ keys: 'f', group, does: 'Search', run: () => field.current?.focus() }], [group]));
  return field;
}
