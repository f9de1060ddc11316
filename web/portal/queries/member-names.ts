import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import type { MentionSearch } from '../../fields/mention-text.tsx';
import { containing, quoted } from '../../rows/query.ts';
import { type Portal, usePortal } from './client.ts';
import { callRest } from './rest.ts';
import { entityIn, fieldIn, labelOf, useScreens } from './screens.ts';

/**
 * Returns the entities that have one row for each member and whose key is the id of the account. The labels of their
 * rows are the names of members.
 */
export const people = (all: PortalScreens): PortalEntity[] =>
  all.entities.filter((entity) => entity.title_fields.length > 0 && isPerson(all, entity, 0));

export function isPerson(all: PortalScreens, entity: PortalEntity, depth: number): boolean {
  const [name, ...others] = entity.key;
  const field = name === undefined ? undefined : fieldIn(entity, name);
  if (!field || others.length > 0 || depth > 3) return false;
  const target = field.reference && entityIn(all, field.reference.entity);
  return field.editor === 'member' || (target ? isPerson(all, target, depth + 1) : false);
}

/** Max number of names that are offered after an @. */
const OFFERED = 6;

/** Returns the search for members whose names may follow an @; null if the caller can read no names. */
export function useMentionSearch(): MentionSearch | null {
  const portal = usePortal();
  const all = useScreens();
  return useMemo(() => {
    const entities = people(all);
    if (entities.length === 0) return null;
    return async (words) => {
      const found = await Promise.all(entities.map((entity) => namesWith(portal, all, entity, words)));
      return [...new Set(found.flat())].slice(0, OFFERED);
    };
  }, [portal, all]);
}

async function namesWith(portal: Portal, all: PortalScreens, entity: PortalEntity, words: string): Promise<string[]> {
  // Each word is in one of the fields, such as the first and the last name.
  const conditions = words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `or(${entity.title_fields.map((name) => containing(name, word)).join(',')})`);
  const params = new URLSearchParams({
    select: entity.title_fields.map(quoted).join(','),
    order: entity.title_fields.map(quoted).join(','),
    limit: String(OFFERED),
    ...(conditions.length > 0 && { and: `(${conditions.join(',')})` }),
  });
  const { rows } = await callRest(portal, entity, { params });
  return rows.flatMap((row) => labelOf(all, entity, row) ?? []);
}

/** Time in ms for which the name of a member is not read again. */
const NAME_MILLISECONDS = 60_000;

const memberName = (portal: Portal, all: PortalScreens, id: string) =>
  queryOptions({
    queryKey: ['member-names', id],
    queryFn: () => portal.names.load(id, (ids) => readNames(portal, all, ids)),
    enabled: people(all).length > 0,
    staleTime: NAME_MILLISECONDS,
  });

async function readNames(
  portal: Portal,
  all: PortalScreens,
  ids: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const found = await Promise.all(people(all).map((entity) => namesIn(portal, all, entity, ids)));
  return Object.fromEntries(found.flat());
}

async function namesIn(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  ids: readonly string[],
): Promise<[string, string][]> {
  const [key = ''] = entity.key;
  const params = new URLSearchParams({
    select: [key, ...entity.title_fields].map(quoted).join(','),
    [quoted(key)]: `in.(${ids.join(',')})`,
  });
  const { rows } = await callRest(portal, entity, { params });
  return rows.flatMap((row): [string, string][] => {
    const name = labelOf(all, entity, row);
    return name === null ? [] : [[String(row[key]), name]];
  });
}

/** Returns the names of members by the ids of their accounts. Omits names that the caller may not read. */
export function useMemberNames(ids: readonly string[]): Readonly<Record<string, string>> {
  const portal = usePortal();
  const all = useScreens();
  const distinct = [...new Set(ids)].filter((id) => /^[0-9a-f-]{36}$/i.test(id)).sort();
  return useQueries({
    queries: distinct.map((id) => memberName(portal, all, id)),
    combine: (results) =>
      Object.fromEntries(results.flatMap(({ data }, i) => (data == null ? [] : [[distinct[i] ?? '', data]]))),
  });
}
