import type { PortalField, PortalRule, PortalRuleSchema } from '../../contract/portal.ts';
import { t } from '../language/messages.ts';

/** Returns the description of the first rule that a value breaks. Null if it breaks none of the rules that the browser can check. */
export function brokenRule({ rules }: Pick<PortalField, 'rules'>, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const broken = rules.find(({ schema }) => schema !== null && !fulfils(schema, value));
  return broken ? `${wordsOf(broken)}${factOf(broken, value)}` : null;
}

/** Returns the description of a rule as a sentence. */
export const wordsOf = ({ words }: PortalRule): string => {
  const sentence = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** Returns the number of characters of a value, if the rule limits the number of characters. */
function factOf({ schema }: PortalRule, value: unknown): string {
  const counts = schema?.minLength !== undefined || schema?.maxLength !== undefined;
  return counts && typeof value === 'string' ? t('ruleFact', { count: characters(value) }) : '';
}

/** Counts characters as PostgreSQL does. JavaScript itself counts UTF-16 units. */
export const characters = (text: string): number => [...text].length;

function fulfils(schema: PortalRuleSchema, value: unknown): boolean {
  if (typeof value === 'string') return fitsText(schema, value);
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (Array.isArray(value)) {
    return value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Number.POSITIVE_INFINITY);
  }
  return true;
}

function fitsText(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, enum: values }: PortalRuleSchema,
  text: string,
) {
  const length = characters(text);
  if (length < minLength || length > maxLength) return false;
  if (values && !values.includes(text)) return false;
  return pattern === undefined || matches(pattern, text);
}

/**
 * Returns true if a text matches a pattern. Also returns true for a pattern that this browser cannot parse, because
 * then only the server checks it.
 */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

const fitsNumber = (schema: PortalRuleSchema, value: number): boolean =>
  value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (schema.maximum ?? Number.POSITIVE_INFINITY) &&
  value > (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
  value < (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY);

/** Returns the maximum number of characters that the rules of a field allow; null if they set no limit. */
export function longest({ rules }: Pick<PortalField, 'rules'>): number | null {
  const bounds = rules.flatMap(({ schema }) => (schema?.maxLength === undefined ? [] : [schema.maxLength]));
  return bounds.length === 0 ? null : Math.min(...bounds);
}
