import type { ComputedPart, FigureValue, PortalEntity } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { numberText } from '../../../language/messages.ts';

/** Digits after the decimal point of an average. */
const AVERAGE_DIGITS = 1;

/** Formats the value of a part. */
export function figureText({ value: kind, of }: ComputedPart, { fields }: PortalEntity, value: FigureValue): string {
  if (value === null) return '–';
  const field = fields.find(({ name }) => name === of);
  const isCounted = kind === 'count' || field === undefined;
  if (kind === 'avg' && field?.editor !== 'money' && Number.isFinite(Number(value))) {
    return numberText(Number(value), { maximumFractionDigits: AVERAGE_DIGITS });
  }
  return isCounted ? numberText(Number(value)) : textOf(field, value);
}

/** Returns the value as a number; null for a value of another type. */
export const numberOf = (value: FigureValue | undefined): number | null =>
  value == null || value === '' || !Number.isFinite(Number(value)) ? null : Number(value);
