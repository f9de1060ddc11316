import type { PortalEntity } from '../../../contract/portal.ts';
import { orderOf, quoted } from './query.ts';
import type { Row } from './rest.ts';

/** A term of an order: `created_at.desc.nullslast`. */
interface Term {
  readonly name: string;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
}

/** Parses an order; null if a term is not a plain field. */
function termsOf(order: string): Term[] | null {
  const terms = order.split(',').map((text): Term | null => {
    const [, name, direction, nulls] = /^(\w+)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/.exec(text) ?? [];
    const isDescending = direction === 'desc';
    return name === undefined
      ? null
      : { name, isDescending, isNullFirst: nulls === undefined ? isDescending : nullsFirst(nulls) };
  });
  return terms.every((term) => term !== null) ? terms : null;
}

const nullsFirst = (text: string): boolean => text === 'nullsfirst';

/**
 * Returns the condition for the rows after a row, in the syntax of the parameter `or`. PostgreSQL finds these rows by
 * an index, however many precede them, and a row that another caller adds moves no row to another page. Pure.
 *
 * @param order As the parameter `order`, without the key.
 * @returns null if the order has no such condition: the entity has no readable key, a term is no plain field, or a
 *   value is missing in the row.
 */
export function rowsAfter(entity: PortalEntity, order: string | null, row: Row): string | null {
  const terms = entity.key.length === 0 ? null : termsOf(orderOf(entity, order));
  if (
    !terms ||
    terms.some(({ name }) => row[name] === undefined || (typeof row[name] === 'object' && row[name] !== null))
  )
    return null;
  const parts = terms.flatMap((term, i) => {
    const same = terms.slice(0, i).map(({ name }) => sameAs(name, row[name]));
    return greater(term, row[term.name]).map((one) => (same.length === 0 ? one : `and(${[...same, one].join(',')})`));
  });
  return parts.length === 0 ? null : `(${parts.join(',')})`;
}

const sameAs = (name: string, value: unknown): string =>
  value === null ? `${quoted(name)}.is.null` : `${quoted(name)}.eq.${literal(value)}`;

/** Returns the conditions for the values after a value, of which one is true. */
function greater({ name, isDescending, isNullFirst }: Term, value: unknown): string[] {
  if (value === null) return isNullFirst ? [`${quoted(name)}.not.is.null`] : [];
  const after = `${quoted(name)}.${isDescending ? 'lt' : 'gt'}.${literal(value)}`;
  return isNullFirst ? [after] : [after, `${quoted(name)}.is.null`];
}

const literal = (value: unknown): string => `"${String(value).replaceAll(/[\\"]/g, '\\$&')}"`;
