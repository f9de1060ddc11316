import type { PortalEntity } from '../../../contract/portal.ts';
import { quoted, quotedText } from '../../rows/query.ts';
import { orderOf, orderTerms } from './query.ts';
import type { Row } from './rest.ts';

/** A term of an order, for example `created_at.desc.nullslast`. */
interface Term {
  readonly name: string;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
  /** True if the field cannot be null, so that every row has a value. */
  readonly isFilled: boolean;
}

/** Parses an order into its terms. Returns null if a term is no plain field. */
function termsOf({ fields }: PortalEntity, order: string): Term[] | null {
  const terms = orderTerms(order).map(({ text, field, isDescending }): Term | null => {
    const [, nulls] = /^(?:\w+|"(?:[^"\\]|\\.)*")(?:\.(?:asc|desc))?(?:\.(nullsfirst|nullslast))?$/.exec(text) ?? [
      '',
      null,
    ];
    if (nulls === null) return null;
    const isFilled = fields.some(({ name, nullable }) => name === field && !nullable);
    return { name: field, isDescending, isFilled, isNullFirst: nulls === undefined ? isDescending : nullsFirst(nulls) };
  });
  return terms.every((term) => term !== null) ? terms : null;
}

const nullsFirst = (text: string): boolean => text === 'nullsfirst';

/**
 * Returns the condition for the rows that follow a row, in the syntax of the parameter `or`. PostgreSQL finds these
 * rows by an index, however many rows precede them. A row that another caller adds moves no row to another page. Pure.
 *
 * @param order The parameter `order`, without the key.
 * @returns null if no such condition exists: the entity has no readable key, a term is no plain field, or the row lacks
 * a value
 */
export function rowsAfter(entity: PortalEntity, order: string | null, row: Row): string | null {
  const terms = entity.key.length === 0 ? null : termsOf(entity, orderOf(entity, order));
  if (
    !terms ||
    terms.some(({ name }) => row[name] === undefined || (typeof row[name] === 'object' && row[name] !== null))
  )
    return null;
  const parts = terms.flatMap((term, i) => {
    const same = terms.slice(0, i).map(({ name }) => sameAs(name, row[name]));
    return greater(term, row[term.name]).map((one) => (same.length === 0 ? one : `and(${[...same, one].join(',')})`));
  });
  const [first] = terms;
  if (parts.length === 0 || !first) return null;
  // With this bound on the first field, PostgreSQL can start within an index. It does not derive the bound from the
  // conditions joined by OR.
  return first.isFilled && parts.length > 1
    ? `(and(${quoted(first.name)}.${first.isDescending ? 'lte' : 'gte'}.${literal(row[first.name])},or(${parts.join(',')})))`
    : `(${parts.join(',')})`;
}

const sameAs = (name: string, value: unknown): string =>
  value === null ? `${quoted(name)}.is.null` : `${quoted(name)}.eq.${literal(value)}`;

/** Returns conditions for the values that follow a value in the order. A later value meets one of them. */
function greater({ name, isDescending, isNullFirst, isFilled }: Term, value: unknown): string[] {
  if (value === null) return isNullFirst ? [`${quoted(name)}.not.is.null`] : [];
  const after = `${quoted(name)}.${isDescending ? 'lt' : 'gt'}.${literal(value)}`;
  return isNullFirst || isFilled ? [after] : [after, `${quoted(name)}.is.null`];
}

const literal = (value: unknown): string => quotedText(String(value));
