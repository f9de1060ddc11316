import { useLocation } from '@tanstack/react-router';
import type { PortalScreen } from '../../../contract/portal.ts';
import { entityIn, formFor, placeAt, shownLists, useScreens } from '../data/screens.ts';

/**
 * Returns the form that adds a row to the page: of the entity that the page shows, or else of the first list, or else
 * any form. Returns undefined if the caller cannot add rows.
 */
export function useNewForm(): PortalScreen | undefined {
  const all = useScreens();
  const { pathname } = useLocation();
  const [first] = shownLists(all);
  const entity = placeAt(all, pathname)?.entity ?? (first && entityIn(all, first.entity));
  const opened = entity?.opens ? entityIn(all, entity.opens.entity) : entity;
  return (opened && formFor(all, opened)) ?? all.screens.find(({ kind }) => kind === 'form');
}
