import type { RestSettings } from '../../../contract/settings.ts';
import { nameKey, type SchemaCache, type SqlName } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ApiRequest, MediaType } from '../request/api-request.ts';
import { mediaTypeName, parseMediaType, sameMediaType } from '../request/media-type.ts';
import type { BodyFormat, ReadNode } from './plan.ts';

/** The chosen media type and the format of the body. */
export interface Negotiated extends Format {
  /** The header Content-Type. */
  readonly contentType: string;
}

interface Format {
  readonly format: BodyFormat;
  readonly mediaType: MediaType;
}

/**
 * Chooses the media type of the response (RFC 9110, section 12.5.1; PostgREST docs, "Media Type Handlers"): the first
 * accepted one that is available.
 * @param target Relation or function, which may have its own handlers.
 * @throws NinefoldError PGRST107 if none is available.
 */
export function negotiate(
  request: ApiRequest,
  target: SqlName,
  read: ReadNode,
  schemaCache: SchemaCache,
  settings: RestSettings,
): Negotiated {
  const wholeRows = showsWholeRows(read);
  for (const accepted of request.accept) {
    const found = formatOf(accepted, target, wholeRows, schemaCache, settings);
    if (found) {
      const contentType = contentTypeOf(found.mediaType);
      return { ...found, contentType, ...(sendsBody(request) ? {} : { format: { kind: 'none' } }) };
    }
  }
  throw notAvailable(request.accept);
}

function contentTypeOf(mediaType: MediaType): string {
  const name = mediaTypeName(mediaType);
  return mediaType.kind === 'octet-stream' || mediaType.kind === 'other' ? name : `${name}; charset=utf-8`;
}

/** Returns the error for a request that accepts no available media type. */
export const notAvailable = (accept: readonly MediaType[]): NinefoldError =>
  new NinefoldError('PGRST107', {
    message: `None of these media types are available: ${accept.map(mediaTypeName).join(', ')}`,
  });

function sendsBody({ action, preferences }: ApiRequest): boolean {
  if (action.kind === 'mutate') return preferences.representation === 'representation';
  if (action.kind === 'read') return !action.headOnly;
  return action.kind !== 'call' || action.method !== 'HEAD';
}

/**
 * Returns true if all columns are selected. A media type handler of a relation receives complete rows, so it can serve
 * only requests that select all columns.
 */
const showsWholeRows = (read: ReadNode): boolean =>
  read.children.length === 0 && read.select.length === 1 && read.select[0]?.field.name === '*';

function formatOf(
  accepted: MediaType,
  target: SqlName,
  wholeRows: boolean,
  schemaCache: SchemaCache,
  settings: RestSettings,
): Format | null {
  switch (accepted.kind) {
    case 'object':
      return { format: { kind: 'object', stripNulls: accepted.nullsStripped }, mediaType: accepted };
    case 'array-stripped':
      return { format: { kind: 'array', stripNulls: true }, mediaType: accepted };
    case 'plan': {
      if (!settings.db_plan_enabled) return null;
      const found = formatOf(accepted.of, target, wholeRows, schemaCache, settings);
      return found ? { format: found.format, mediaType: accepted } : null;
    }
    default:
      return (
        customFormat(accepted, wholeRows ? target : null, schemaCache) ??
        customFormat(accepted, null, schemaCache) ??
        builtInFormat(accepted)
      );
  }
}

/**
 * Returns the handler of `target` for a media type. If `target` is null, looks among the handlers for all relations.
 * The handler of a target for all media types has priority.
 */
function customFormat(accepted: MediaType, target: SqlName | null, schemaCache: SchemaCache): Format | null {
  const candidates = schemaCache.mediaHandlers.get(target === null ? '' : nameKey(target));
  if (!candidates) return null;
  const handler =
    (target === null ? undefined : candidates.find((candidate) => candidate.mediaType === '*/*')) ??
    candidates.findLast((candidate) => sameMediaType(parseMediaType(candidate.mediaType), accepted));
  if (!handler) return null;
  return {
    format: { kind: 'custom', function: handler.function, target: handler.target },
    mediaType: parseMediaType(handler.resolvedMediaType),
  };
}

function builtInFormat(accepted: MediaType): Format | null {
  switch (accepted.kind) {
    case 'any':
    case 'json':
      return { format: { kind: 'array', stripNulls: false }, mediaType: { kind: 'json' } };
    case 'csv':
    case 'geojson':
      return { format: { kind: accepted.kind }, mediaType: accepted };
    default:
      return null;
  }
}
