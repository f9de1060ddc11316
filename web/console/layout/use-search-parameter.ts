import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Names of the search parameters that contain the item of a panel, or the text of a search. */
export type SearchParameter =
  | 'advice'
  | 'call'
  | 'cell'
  | 'entity'
  | 'error'
  | 'function'
  | 'limit'
  | 'mail'
  | 'message'
  | 'q'
  | 'rule'
  | 'screen'
  | 'session'
  | 'tab'
  | 'user'
  | 'version';

/**
 * Returns a search parameter of the address bar, or null if it is missing, and a function that changes it. The function
 * leaves other parameters unchanged. An empty text removes the parameter.
 */
export function useSearchParameter(
  name: SearchParameter,
): readonly [value: string | null, change: (value: string | null) => void] {
  const { [name]: value = null } = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (to: string | null) =>
      void navigate({
        to: '.',
        search: ({ [name]: _, ...others }) => (to ? { ...others, [name]: to } : others),
        replace: true,
        resetScroll: false,
      }),
    [navigate, name],
  );
  return [value, change];
}
