import { z } from 'zod';
import type { Exchange } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { jsonDepth } from '../apps/json-depth.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** PostgreSQL stores neither NUL characters nor halves of surrogate pairs. */
const UNSTORABLE = /\0|[\uD800-\uDFFF]/u;

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !UNSTORABLE.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, entry]) => !UNSTORABLE.test(key) && isStorable(entry));
}

const storable = 'must not contain NUL characters or broken surrogate pairs';

/** An optional text of bounded length; null and the empty text count as absent, as in GoTrue. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !UNSTORABLE.test(value), storable)
    .nullish()
    .transform((value) => value || undefined);

/** An optional object of metadata. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine(isStorable, storable)
  .nullish()
  .transform((value) => value ?? undefined);

/** An optional flag. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined);

/** A password may be longer here than is allowed, so that what refuses it can say so. */
export const password = text(16 * 1024);

/**
 * The body of a call as `schema` reads it. An absent body is an empty object where `optional` says so.
 * Throws request_entity_too_large, bad_json, and validation_failed that names the field.
 */
export function readBody<T>(exchange: Exchange, schema: z.ZodType<T>, options: { optional?: boolean } = {}): T {
  const parsed = schema.safeParse(parseBody(exchange.body, options.optional ?? false));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.');
  throw new NinefoldError('validation_failed', {
    message: field ? `${field}: ${issue?.message}` : (issue?.message ?? ''),
  });
}

function parseBody(body: Uint8Array | null, optional: boolean): unknown {
  if (body === null || body.length === 0) {
    if (optional) return {};
    throw new NinefoldError('bad_json', { message: 'Could not parse request body as JSON: it is empty' });
  }
  if (body.length > limits.authBodyBytes.default) throw new NinefoldError('request_entity_too_large');
  let value: unknown;
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (jsonDepth(decoded) > limits.authBodyDepth.default) throw new TypeError('it nests too deeply');
    value = JSON.parse(decoded);
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is malformed' : error instanceof Error ? error.message : '';
    throw new NinefoldError('bad_json', { message: `Could not parse request body as JSON: ${reason}`, cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new NinefoldError('bad_json', { message: 'Could not parse request body as JSON: it is no object' });
}
