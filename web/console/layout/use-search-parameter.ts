import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The search parameters that name the item of a panel, and the text of a search. */
export type SearchParameter =
  | 'advice'
  | 'call'
  | 'cell'
  | 'entity'
  | 'error'
  | 'limit'
  | 'mail'
  | 'q'
  | 'rule'
  | 'screen'
  | 'session'
  | 'user'
  | 'version';

/**
 * Returns a search parameter of the address bar, or null, and a function that changes it. Other parameters are
 * unchanged. An empty text removes the parameter.
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
