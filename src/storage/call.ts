import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { StorageCall, StorageRight } from '../../contract/calls.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { limits } from '../../contract/limits.ts';
import { type ParameterWords, parameter, wordsOf } from '../calls/words.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { parseBoundedJson } from '../limits/bounded-json.ts';
import type { StorageContext } from './context.ts';

type Route = `${StorageCall['method']} /${string}`;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The values that a handler receives after the context and the request. */
export interface Received<R extends Route, S extends z.ZodRawShape> {
  /** The values of the names in braces of the route, percent-encoded. */
  readonly path: { readonly [Name in NamesIn<R>]: string };
  readonly query: URLSearchParams;
  /** Reads the JSON body. */
  readonly readBody: () => Promise<z.output<z.ZodObject<S>>>;
  /** The operation that policies can read. */
  readonly operation: string;
}

/** A call of /storage/v1: its route, its words in chapter 7, its errors and its handler. */
interface CallDefinition<R extends Route, S extends z.ZodRawShape> {
  readonly id: StorageCall['id'];
  /**
   * Method and path below /storage/v1. The name `path` in braces takes all remaining segments; every other name takes
   * one.
   */
  readonly route: R;
  readonly caller: StorageCall['caller'];
  /** The operation that policies can read with `storage.operation()`; the id by default. */
  readonly operation?: string;
  /** The privileges and policies that decide about the call; none by default. */
  readonly needs?: readonly StorageRight[];
  /** The codes that the call raises, in addition to those of every call. */
  readonly errors: readonly ErrorCode[];
  readonly summary: string;
  readonly returns: string;
  readonly query?: Readonly<Record<string, ParameterWords>>;
  readonly headers?: Readonly<Record<string, ParameterWords>>;
  readonly body?: z.ZodObject<S>;
  readonly example?: StorageCall['example'];
  readonly supabaseJs?: string;
  readonly handle: (context: StorageContext, request: CallRequest, received: Received<R, S>) => Promise<Reply>;
}

/** A call of /storage/v1 that a request can reach. */
export interface Endpoint {
  readonly facts: StorageCall;
  readonly run: (
    context: StorageContext,
    request: CallRequest,
    path: Readonly<Record<string, string>>,
  ) => Promise<Reply>;
}

/** Defines a call of /storage/v1. A call must also be named in `calls.ts`. */
export function storageCall<const R extends Route, S extends z.ZodRawShape = Record<never, never>>(
  definition: CallDefinition<R, S>,
): Endpoint {
  const { body = z.object({}), handle } = definition;
  return {
    facts: factsOf(definition, body.shape),
    run: (context, request, path) =>
      handle(context, request, {
        path: path as Received<R, S>['path'],
        query: new URLSearchParams(request.query),
        readBody: () => readJson(request, body) as Promise<z.output<z.ZodObject<S>>>,
        operation: definition.operation ?? definition.id,
      }),
  };
}

function factsOf<R extends Route, S extends z.ZodRawShape>(
  definition: CallDefinition<R, S>,
  body: z.ZodRawShape,
): StorageCall {
  const { id, route, caller, needs, errors, summary, returns, query, headers, example, supabaseJs } = definition;
  const [method, path] = route.split(' ') as [StorageCall['method'], string];
  const listed = (where: 'query' | 'header', words: Readonly<Record<string, ParameterWords>> = {}) =>
    Object.entries(words).map(([name, each]) => parameter(name, where, each));
  return {
    id,
    method,
    path: `/storage/v1${path}`,
    summary,
    caller,
    needs: [...(needs ?? [])],
    parameters: [
      ...Object.entries(body).flatMap(([name, field]) => {
        const words = wordsOf(field as z.ZodType);
        return words ? [parameter(name, 'body', words)] : [];
      }),
      ...listed('query', query),
      ...listed('header', headers),
    ],
    returns,
    example: example ?? null,
    supabase_js: supabaseJs ?? null,
    errors: [...new Set([...ofEveryCall, ...(caller === 'key' ? ofCallers : []), ...errors])],
  };
}

const ofEveryCall: readonly ErrorCode[] = ['InvalidRequest', 'StorageNotInstalled', 'body_incomplete'];
const ofCallers: readonly ErrorCode[] = ['InvalidJWT', 'AccessDenied', 'database_refused', 'PGRST302'];

const bounds = { depth: limits.storageJsonDepth.default, values: limits.bodyValues.default };

/**
 * Reads a JSON body by its schema. A missing body is an empty object.
 * @throws NinefoldError InvalidRequest, EntityTooLarge
 */
async function readJson(request: CallRequest, schema: z.ZodObject): Promise<unknown> {
  const text = await readText(request);
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : parseBoundedJson(text, bounds);
  } catch (cause) {
    throw new NinefoldError('InvalidRequest', { message: 'The body is not valid JSON.', cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new NinefoldError('InvalidRequest', {
    message: field ? `${field}: ${issue?.message}` : 'The body must be an object.',
  });
}

/**
 * Reads a body that is no file.
 * @throws NinefoldError EntityTooLarge, InvalidRequest for bytes that are not UTF-8
 */
async function readText({ stream }: CallRequest): Promise<string> {
  if (stream === null) return '';
  const max = limits.storageBodyBytes.default;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > max) throw new NinefoldError('EntityTooLarge', { limit: 'storageBodyBytes' });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new NinefoldError('InvalidRequest', { message: 'The body is not valid UTF-8.', cause });
  }
}
