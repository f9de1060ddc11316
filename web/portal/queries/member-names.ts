import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import { quoted } from '../../rows/query.ts';
import { type Portal, usePortal } from './client.ts';
import { callRest } from './rest.ts';
import { entityIn, fieldIn, labelOf, useScreens } from './screens.ts';

/**
 * Returns the entities that have one row for each member and whose key is the id of the account. The labels of their
 * rows are the names of members.
 */
const people = (all: PortalScreens): PortalEntity[] =>
  all.entities.filter((entity) => entity.title_fields.length > 0 && isPerson(all, entity, 0));

export function isPerson(all: PortalScreens, entity: PortalEntity, depth: number): boolean {
  const [name, ...others] = entity.key;
  const field = name === undefined ? undefined : fieldIn(entity, name);
  if (!field || others.length > 0 || depth > 3) return false;
  const target = field.reference && entityIn(all, field.reference.entity);
  return field.editor === 'member' || (target ? isPerson(all, target, depth + 1) : false);
}

const names = (portal: Portal, all: PortalScreens, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['rows', 'names', ids],
    queryFn: async (): Promise<Record<string, string>> => {
      const found = await Promise.all(people(all).map((entity) => namesIn(portal, entity, ids)));
      return Object.fromEntries(found.flat());
    },
    enabled: ids.length > 0,
  });

async function namesIn(portal: Portal, entity: PortalEntity, ids: readonly string[]): Promise<[string, string][]> {
  const [key = ''] = entity.key;
  const params = new URLSearchParams({
    select: [key, ...entity.title_fields].map(quoted).join(','),
    [quoted(key)]: `in.(${ids.join(',')})`,
  });
  const { rows } = await callRest(portal, entity, { params });
  return rows.flatMap((row): [string, string][] => {
    const name = labelOf(entity, row);
    return name === null ? [] : [[String(row[key]), name]];
  });
}

/** Returns the names of members by the ids of their accounts. Omits names that the caller may not read. */
export function useMemberNames(ids: readonly string[]): Readonly<Record<string, string>> {
  const portal = usePortal();
  const all = useScreens();
  const distinct = [...new Set(ids)].filter((id) => /^[0-9a-f-]{36}$/i.test(id)).sort();
  const { data } = useQuery(names(portal, all, distinct));
  return data ?? {};
}
