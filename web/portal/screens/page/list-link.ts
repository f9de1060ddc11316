import { CUT, type PortalEntity, type PortalScreen, type PortalScreens } from '../../../../contract/portal.ts';
import { conditionsIn, type ListSearch } from '../list/list-search.ts';

/** A list, and the search parameters of its address. */
export interface ListLink {
  readonly to: string;
  readonly search: ListSearch;
}

/**
 * Returns the list that shows the rows of a filter, and further conditions of its address; null if no list can. The
 * list whose own filter has the most of the conditions is used. Pure.
 * @param further Conditions such as `eq.open`, by field.
 */
export function listLink(
  { screens }: PortalScreens,
  entity: PortalEntity,
  filter: string | null,
  further: Readonly<Record<string, string>> = {},
): ListLink | null {
  const terms = termsOf(filter);
  const links = screens
    .filter(({ kind, entity: id }) => kind === 'list' && id === entity.id)
    .flatMap((screen) => {
      const search = searchFor(screen, entity, terms, further);
      return search === null ? [] : [{ to: screen.route, search }];
    });
  return links.sort((a, b) => Object.keys(a.search).length - Object.keys(b.search).length)[0] ?? null;
}

/** Returns the list that shows the rows of a bar; null if no list can. Pure. */
export function barLink(
  all: PortalScreens,
  entity: PortalEntity,
  { by, filter }: { readonly by: string; readonly filter: string | null },
  value: unknown,
): ListLink | null {
  const isCut = typeof value === 'string' && value.endsWith(CUT);
  if (isCut || (typeof value === 'object' && value !== null)) return null;
  const operator = value === null || typeof value === 'boolean' ? 'is' : 'eq';
  return listLink(all, entity, filter, { [by]: `${operator}.${value}` });
}

/** Returns the conditions of a filter, each as `field=operator.value`. */
const termsOf = (filter: string | null): string[] =>
  [...new URLSearchParams(filter ?? '')].map(([name, condition]) => `${name}=${condition}`);

/** Returns the search parameters with which a list shows rows with these conditions; null if it cannot. */
function searchFor(
  { filter }: PortalScreen,
  entity: PortalEntity,
  terms: readonly string[],
  further: Readonly<Record<string, string>>,
): ListSearch | null {
  const own = termsOf(filter);
  if (!own.every((term) => terms.includes(term))) return null;
  const added = [
    ...terms.filter((term) => !own.includes(term)).map((term) => term.split(/=(.*)/s) as [string, string]),
    ...Object.entries(further),
  ];
  const search = Object.fromEntries(added.map(([name, condition]) => [`f.${name}`, condition])) as ListSearch;
  // The list reads each condition from its address only if it knows the field and the operator.
  const isRead = Object.keys(conditionsIn(search, entity)).length === added.length;
  return isRead ? search : null;
}
