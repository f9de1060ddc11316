import { useLocation } from '@tanstack/react-router';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { entityIn, formFor, openedEntity, placeAt, shownLists, useScreens } from '../../queries/screens.ts';

/**
 * Returns the form that adds a row to the page: of the entity that the page shows, or else of the first list, or else
 * any form. Returns undefined if the caller cannot add rows.
 */
export function useNewForm(): PortalScreen | undefined {
  const all = useScreens();
  const { pathname } = useLocation();
  const [first] = shownLists(all);
  const entity = placeAt(all, pathname)?.entity ?? (first && entityIn(all, first.entity));
  return (entity && formFor(all, openedEntity(all, entity))) ?? all.screens.find(({ kind }) => kind === 'form');
}
