import { useQuery } from '@tanstack/react-query';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { COUNTED, countWords } from '../../../fields/format.ts';
import { usePortal } from '../../queries/client.ts';
import { followedSeldom } from '../../queries/live.ts';
import { count } from '../../queries/rows.ts';
import { entityIn, useScreens } from '../../queries/screens.ts';
import { type ListSearch, narrowingIn } from '../list/list-search.ts';
import { useIsQuiet } from './use-is-quiet.ts';

/** Maximum number of screens in the navigation whose rows are counted. */
const COUNTED_SCREENS = 12;

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
