import type { PortalField } from '../../../../contract/portal.ts';
import type { Row } from '../../queries/rest.ts';

/** Units that a name can state: `opening_hours`, `weight_kg`. Fields of different units have different scales. */
const UNIT =
  /(?:^|_)(percent|pct|ratio|share|count|seconds|minutes|hours|days|weeks|kg|grams?|km|meters?|liters?|items|members|visits|visitors)(?:_|$)/i;

/** Returns true for fields that a page of figures shows with a bar. */
export const isFigure = ({ editor }: Pick<PortalField, 'editor'>): boolean => editor === 'number' || editor === 'money';

/**
 * Returns the value of the longest bar, by field. Fields of the same unit share it, so that their bars can be compared:
 * a budget of 50,000 has a longer bar than an expense of 9,300. Pure.
 */
export function figureScales(fields: readonly PortalField[], rows: readonly Row[]): ReadonlyMap<string, number> {
  const unitOf = ({ name }: PortalField) => UNIT.exec(name)?.[1]?.toLowerCase() ?? '';
  const greatest = new Map<string, number>();
  for (const field of fields.filter(isFigure)) {
    const values = rows.map((row) => Math.abs(Number(row[field.name]) || 0));
    greatest.set(unitOf(field), Math.max(greatest.get(unitOf(field)) ?? 0, ...values));
  }
  return new Map(fields.filter(isFigure).map((field) => [field.name, greatest.get(unitOf(field)) ?? 0]));
}
