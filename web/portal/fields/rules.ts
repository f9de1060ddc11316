import type { PortalField, PortalRule, PortalRuleSchema } from '../../../contract/portal.ts';

/** Returns the first rule that a value is known to break, in the rule's words; null for a value that may be valid. */
export function brokenRule({ rules }: Pick<PortalField, 'rules'>, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const broken = rules.find(({ schema }) => schema !== null && !fulfils(schema, value));
  return broken ? `${wordsOf(broken)}${factOf(broken, value)}` : null;
}

/** The words of a rule as a sentence. */
export const wordsOf = ({ words }: PortalRule): string => {
  const sentence = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** What this value has, where the rule counts characters. */
function factOf({ schema }: PortalRule, value: unknown): string {
  const counts = schema?.minLength !== undefined || schema?.maxLength !== undefined;
  return counts && typeof value === 'string' ? ` This one has ${characters(value).toLocaleString()}.` : '';
}

/** PostgreSQL counts characters, JavaScript units of UTF-16. */
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

/** A pattern that this browser does not read is left to the server. */
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

/** The most characters that the rules of a field allow; null without a bound. */
export function longest({ rules }: Pick<PortalField, 'rules'>): number | null {
  const bounds = rules.flatMap(({ schema }) => (schema?.maxLength === undefined ? [] : [schema.maxLength]));
  return bounds.length === 0 ? null : Math.min(...bounds);
}
