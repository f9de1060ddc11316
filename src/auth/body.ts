import { z } from 'zod';
import type { CallRequest } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { isStorable, storable, UNSTORABLE } from '../calls/storable.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { parseBoundedJson } from '../limits/bounded-json.ts';

/**
 * Returns the schema of an optional text. Null and the empty text count as absent, as in GoTrue.
 * @param max Maximum length in characters.
 */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !UNSTORABLE.test(value), storable)
    .nullish()
    .transform((value) => value || undefined);

/** An optional object with metadata. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine(isStorable, storable)
  .nullish()
  .transform((value) => value ?? undefined)
  .meta({ type: 'object' });

/** An optional boolean. */
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined)
  .meta({ type: 'boolean' });

/**
 * An optional password. The calls check its length, so that the error names the limit. Unlike for `text`, the empty
 * text does not count as absent, so that a change to an empty password is refused and not ignored.
 */
export const password = z
  .string()
  .refine((value) => !UNSTORABLE.test(value), storable)
  .nullish()
  .transform((value) => value ?? undefined);

/**
 * Reads the body of a call by `schema`. Field names match in any letter case, as in GoTrue (Go's encoding/json). The
 * body `null` is an empty object; with `optional` a missing body is one too.
 *
 * @throws request_entity_too_large, bad_json (also for a field of a wrong type), validation_failed with the name of the
 * field
 */
export function readBody<Shape extends z.ZodRawShape>(
  request: CallRequest,
  schema: z.ZodObject<Shape>,
  options: { optional?: boolean } = {},
): z.output<z.ZodObject<Shape>> {
  const body = parseBody(request.body, options.optional ?? false);
  const parsed = schema.safeParse(withFieldNames(body, Object.keys(schema.shape)));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.');
  const message = field ? `${field}: ${issue?.message}` : (issue?.message ?? '');
  // GoTrue parses the JSON into typed fields, so a value of a wrong type is a parse error.
  if (issue?.code === 'invalid_type') {
    throw new NinefoldError('bad_json', { message: `Could not parse request body as JSON: ${message}` });
  }
  throw new NinefoldError('validation_failed', { message });
}

/**
 * Renames fields that differ from one of `names` only in letter case. If two fields then have the same name, the last
 * one counts.
 */
function withFieldNames(body: object, names: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(body).map(([key, value]): [string, unknown] => {
    if (names.includes(key)) return [key, value];
    const folded = key.toLowerCase().replaceAll('ſ', 's');
    return [names.includes(folded) ? folded : key, value];
  });
  return Object.fromEntries(fields);
}

const bounds = { depth: limits.authBodyDepth.default, values: limits.bodyValues.default };

function parseBody(body: Uint8Array | null, optional: boolean): object {
  if (body === null || body.length === 0) {
    if (optional) return {};
    throw new NinefoldError('bad_json', { message: 'Could not parse request body as JSON: it is empty' });
  }
  if (body.length > limits.authBodyBytes.default) throw new NinefoldError('request_entity_too_large');
  let value: unknown;
  try {
    // A byte order mark stays in the text. JSON does not allow it (RFC 8259, section 8.1), so the parser refuses it.
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    value = parseBoundedJson(decoded, bounds);
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is malformed' : error instanceof Error ? error.message : '';
    throw new NinefoldError('bad_json', { message: `Could not parse request body as JSON: ${reason}`, cause: error });
  }
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new NinefoldError('bad_json', { message: 'Could not parse request body as JSON: it is not an object' });
}
