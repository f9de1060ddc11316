import type { Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { objectName } from '../names.ts';
import { entityTagOf, type StoredObject } from '../objects/object.ts';
import { objectReply } from '../objects/object-reply.ts';
import { findReadable } from '../objects/read-object.ts';
import { metadataHeaders } from './file-headers.ts';
import type { Handler, ObjectCall } from './s3-call.ts';

/** Handles GetObject and HeadObject. */
export const getObject: Handler<ObjectCall> = async (call) => {
  const found = await findReadable(call.context, call.request, placeOf(call), readingOf(call));
  try {
    return await replyWith(call, found.object);
  } catch (error) {
    // The object can be replaced between the reads of its row and of its bytes.
    if (!(error instanceof NinefoldError && error.code === 'BytesMissing')) throw error;
    const current = await findReadable(call.context, call.request, placeOf(call), readingOf(call));
    if (current.object.version === found.object.version) throw error;
    return replyWith(call, current.object);
  }
};

const placeOf = ({ bucket, key }: ObjectCall) => ({ bucket, name: objectName(key) });
const readingOf = ({ identity, operation }: ObjectCall) => ({ as: identity, operation });

async function replyWith(call: ObjectCall, object: StoredObject): Promise<Reply> {
  requireConditions(call.headers, object);
  // Clients copy Cache-Control to other stores, so it is sent as it is stored.
  const reply = await objectReply(call.context, call.request, object, { download: null, isPublic: true });
  return { ...reply, headers: { ...reply.headers, ...metadataHeaders(object.user_metadata), ...overrides(call) } };
}

/** A value that a header can contain. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * Returns the headers that a signed request replaces. The type cannot be replaced, because a browser would run other
 * types.
 */
function overrides({ query }: ObjectCall): Record<string, string> {
  const headers: Record<string, string> = {};
  const disposition = query.get('response-content-disposition');
  if (disposition?.toLowerCase().startsWith('attachment') && PRINTABLE.test(disposition)) {
    headers['content-disposition'] = disposition;
  }
  const cacheControl = query.get('response-cache-control');
  if (cacheControl !== undefined && PRINTABLE.test(cacheControl)) headers['cache-control'] = cacheControl;
  return headers;
}

/** The names of the headers with conditions, which CopyObject has with a prefix. */
const PREFIX_OF_COPIES = 'x-amz-copy-source-';

/**
 * Checks the conditions that an object must meet. Those that lead to 304 are checked where the response is made.
 * @throws NinefoldError PreconditionFailed
 */
function requireConditions(headers: Conditions, object: StoredObject): void {
  const { 'if-match': match, 'if-unmodified-since': unmodified } = headers;
  const isMet = match === undefined ? !isModifiedSince(object, unmodified) : namesTag(match, object);
  if (!isMet) throw new NinefoldError('PreconditionFailed');
}

type Conditions = Readonly<Record<string, string | undefined>>;

/**
 * Checks the conditions of a copy, all of which are preconditions.
 * @throws NinefoldError PreconditionFailed
 */
export function requireCopyConditions(headers: Conditions, object: StoredObject): void {
  const of = (name: string) => headers[PREFIX_OF_COPIES + name];
  requireConditions({ 'if-match': of('if-match'), 'if-unmodified-since': of('if-unmodified-since') }, object);
  const [noneMatch, since] = [of('if-none-match'), of('if-modified-since')];
  const isMet =
    noneMatch === undefined ? since === undefined || isModifiedSince(object, since) : !namesTag(noneMatch, object);
  if (!isMet) throw new NinefoldError('PreconditionFailed');
}

/** Returns true if a list of entity tags has the tag of an object. Some clients send tags without quotes. */
const namesTag = (list: string, object: StoredObject): boolean => {
  const tag = entityTagOf(object).replaceAll('"', '');
  return list.split(',').some((each) => ['*', tag].includes(each.trim().replaceAll('"', '')));
};

/** Times of headers have whole seconds. */
function isModifiedSince({ updated_at }: StoredObject, time: string | undefined): boolean {
  const since = Date.parse(time ?? '');
  return !Number.isNaN(since) && Math.floor(Date.parse(updated_at) / 1000) * 1000 > since;
}
