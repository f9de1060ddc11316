import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { COUNTED, countWords } from '../../../fields/format.ts';
import { usePortal } from '../../queries/client.ts';
import { followedSeldom } from '../../queries/live.ts';
import { count, rowsKey } from '../../queries/rows.ts';
import { entityIn, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import { type ListSearch, narrowingIn } from '../list/list-search.ts';

/** Maximum number of screens in the navigation whose rows are counted. */
const COUNTED_SCREENS = 12;

/** Interval in ms at which the page checks whether its rows are read. */
const QUIET_MILLISECONDS = 300;

/**
 * Returns true once the page has read its rows, so that counts for the navigation do not delay them. It asks the cache
 * instead of subscribing to it: each request of the page would otherwise draw the navigation again.
 */
function useIsQuiet(): boolean {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    if (isQuiet) return;
    const timer = setInterval(() => {
      if (queryClient.isFetching({ queryKey: rowsKey }) === 0) setQuiet(true);
    }, QUIET_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isQuiet]);
  return isQuiet;
}

/**
 * Shows the number of rows of a list, or of a saved view of a list. A list without a filter shows it only if PostgreSQL can
 * count the rows quickly. Shows nothing for other screens, and for lists after the first COUNTED_SCREENS.
 */
export function ScreenCount({
  screen,
  view = {},
  showsEstimate = false,
}: {
  screen: PortalScreen;
  /** The search parameters of the view. */
  view?: ListSearch;
  showsEstimate?: boolean;
}) {
  const portal = usePortal();
  const all = useScreens();
  const isQuiet = useIsQuiet();
  const entity = entityIn(all, screen.entity);
  const place = all.screens.filter(({ kind }) => kind === 'list').indexOf(screen);
  const isCounted = entity !== undefined && place >= 0 && place < COUNTED_SCREENS;
  const narrowing = entity ? narrowingIn(view, entity, new Date()) : { conditions: {}, search: '' };
  const isNarrowed = narrowing.search !== '' || Object.keys(narrowing.conditions).length > 0;
  const { data } = useQuery({
    ...count(portal, all, entity as never, { filter: screen.filter, order: null, ...narrowing }),
    ...followedSeldom,
    enabled: isCounted && isQuiet,
  });
  // Another screen may have counted the same rows.
  const isFiltered = screen.filter !== null || isNarrowed;
  const isShown = isCounted && data != null && (showsEstimate || isFiltered || data <= COUNTED);
  return isShown && <small aria-hidden={!showsEstimate || undefined}>{countWords(data)}</small>;
}
