import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The search parameters that name what a panel tells of. */
type Choice = 'screen' | 'entity' | 'rule' | 'cell' | 'advice' | 'call' | 'error' | 'limit' | 'version';

/** What the address bar says is chosen, and how to choose; null for nothing. What else is in the address stays. */
export function useChosen(name: Choice): readonly [chosen: string | null, choose: (id: string | null) => void] {
  const { [name]: chosen = null } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = useCallback(
    (id: string | null) =>
      void navigate({
        to: '.',
        search: ({ [name]: _, ...others }) => (id === null ? others : { ...others, [name]: id }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, name],
  );
  return [chosen, choose];
}
