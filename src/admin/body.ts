import { z } from 'zod';
import type { CallRequest } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { JsonTooComplex, parseBoundedJson } from '../limits/bounded-json.ts';

/**
 * Returns the schema of a text that PostgreSQL can store and a page can show on one line.
 * @param max Maximum length in characters.
 */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'holds a control character or a broken surrogate pair');

const bounds = { depth: limits.authBodyDepth.default, values: limits.bodyValues.default };

/**
 * Reads the JSON body by the schema.
 * @throws `body_malformed`, and `validation_invalid` with the field and the rule
 */
export function readBody<T>(request: CallRequest, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = parseBoundedJson(
      new TextDecoder('utf-8', { fatal: true }).decode(request.body ?? new Uint8Array()),
      bounds,
    );
  } catch (error) {
    throw new NinefoldError(
      'body_malformed',
      error instanceof JsonTooComplex ? { limit: 'bodyValues', cause: error } : {},
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const field = first?.path.join('.') ?? '';
  throw new NinefoldError('validation_invalid', {
    message: field
      ? `${field}: ${first?.message ?? 'is not acceptable'}`
      : (first?.message ?? 'The body is not acceptable.'),
    details: parsed.error.issues.map((issue) => ({ field: issue.path.join('.'), rule: issue.message })),
  });
}
