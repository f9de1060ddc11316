import { useEffect, useEffectEvent, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import type { Row } from '../../queries/rest.ts';
import { rowKey } from './row-line.tsx';

/** Keys of the rows of each page, by the number of the page. */
type Pages = ReadonlyMap<number, readonly string[]>;

interface Seen {
  readonly of: string;
  readonly pages: Pages;
  readonly known: ReadonlySet<string>;
  readonly arrived: ReadonlySet<string>;
}

/**
 * Returns the keys of the rows that were added to a page. The rows after the last known row of a full page come from
 * the next page, because a row was removed, so they are not new. Pure.
 *
 * @param size Maximum number of rows of a page.
 */
export function arrivedKeys(
  known: ReadonlySet<string>,
  before: readonly string[],
  after: readonly string[],
  size: number,
): string[] {
  const end = before.length < size ? after.length : after.findLastIndex((key) => known.has(key));
  return after.slice(0, Math.max(0, end)).filter((key) => !known.has(key));
}

/**
 * Returns the keys of the rows that others added while the member looks, until the member's next action.
 *
 * @param of The query of the rows as text. The rows of another query are not new.
 * @param isInSight Returns false for a row that the member has not seen yet. Such a row stays new.
 */
export function useArrivals(
  of: string,
  pages: Pages,
  size: number,
  isInSight: (key: string) => boolean = () => true,
): ReadonlySet<string> {
  const [seen, setSeen] = useState<Seen>({ of, pages: new Map(), known: new Set(), arrived: new Set() });
  const isSame = seen.of === of;
  if (!isSame || [...pages].some(([number, keys]) => !areEqual(seen.pages.get(number), keys))) {
    const before = isSame ? seen : { pages: new Map() as Pages, known: new Set<string>(), arrived: new Set<string>() };
    const added = [...pages].flatMap(([number, keys]) => {
      const page = before.pages.get(number);
      return page ? arrivedKeys(before.known, page, keys, size) : [];
    });
    setSeen({
      of,
      pages: new Map([...before.pages, ...pages]),
      known: new Set([...before.known, ...[...pages.values()].flat()]),
      arrived: added.length === 0 ? before.arrived : new Set([...before.arrived, ...added]),
    });
  }
  const { arrived } = seen;
  const isSeen = useEffectEvent(isInSight);
  useEffect(() => {
    if (arrived.size === 0) return;
    const onAct = () => {
      const unseen = new Set([...arrived].filter((key) => !isSeen(key)));
      if (unseen.size < arrived.size) setSeen((now) => ({ ...now, arrived: unseen }));
    };
    for (const event of ['pointerdown', 'keydown']) addEventListener(event, onAct);
    return () => {
      for (const event of ['pointerdown', 'keydown']) removeEventListener(event, onAct);
    };
  }, [arrived]);
  return arrived;
}

/** Returns the keys of the rows of each page. Returns none for rows without a key. */
export const keysOf = (entity: PortalEntity, pages: ReadonlyMap<number, readonly Row[]>): Pages =>
  new Map(
    entity.key.length === 0 ? [] : [...pages].map(([page, rows]) => [page, rows.map((row) => rowKey(entity, row))]),
  );

const areEqual = (a: readonly string[] | undefined, b: readonly string[]): boolean =>
  a !== undefined && a.length === b.length && a.every((key, i) => key === b[i]);
