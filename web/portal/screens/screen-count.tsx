import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PortalScreen } from '../../../contract/portal.ts';
import { COUNTED, countWords } from '../../fields/format.ts';
import { usePortal } from '../data/client.ts';
import { followedSeldom } from '../data/live.ts';
import { count, rowsKey } from '../data/rows.ts';
import { entityIn, useScreens } from '../data/screens.ts';

/** Maximum number of screens in the navigation whose rows are counted. */
const COUNTED_SCREENS = 12;

/** Time in ms without a request for rows after which the rows of the screens are counted. */
const QUIET_MILLISECONDS = 300;

/** Returns true once the page has read its rows, so that counts for the navigation do not delay them. */
function useIsQuiet(): boolean {
  const isReading = useIsFetching({ queryKey: rowsKey }) > 0;
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    if (isQuiet || isReading) return;
    const timer = setTimeout(() => setQuiet(true), QUIET_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isQuiet, isReading]);
  return isQuiet;
}

/**
 * Shows the number of rows of a list. A list without a filter shows it only if PostgreSQL can count the rows quickly. Shows
 * nothing for other screens, and for lists after the first COUNTED_SCREENS.
 */
export function ScreenCount({ screen, showsEstimate = false }: { screen: PortalScreen; showsEstimate?: boolean }) {
  const portal = usePortal();
  const all = useScreens();
  const isQuiet = useIsQuiet();
  const entity = entityIn(all, screen.entity);
  const place = all.screens.filter(({ kind }) => kind === 'list').indexOf(screen);
  const isCounted = entity !== undefined && place >= 0 && place < COUNTED_SCREENS;
  const query = { filter: screen.filter, order: null, conditions: {}, search: '' };
  const { data } = useQuery({
    ...count(portal, all, entity as never, query),
    ...followedSeldom,
    enabled: isCounted && isQuiet,
  });
  const isShown = data != null && (showsEstimate || screen.filter !== null || data <= COUNTED);
  return isShown && <small aria-hidden={!showsEstimate || undefined}>{countWords(data)}</small>;
}
