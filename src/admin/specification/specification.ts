import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, jsonBytes } from '../router.ts';

const format = z.enum(['json', 'markdown', 'html']);

/**
 * Handles GET /apps/:ref/specification: returns JSON, or with `?format=markdown|html` a document. Compresses the
 * response for a client that accepts gzip (RFC 9110, section 12.5.3).
 */
export async function showSpecification(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const asked = format.safeParse(new URLSearchParams(request.query).get('format') ?? 'json');
  if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'format is json, markdown or html.' });
  const isPacked = takesGzip(request.headers['accept-encoding']);
  const page = await context.specify.page(await openApp(context, ref), asked.data, isPacked);
  return textReply(types[asked.data], page, {
    vary: 'accept-encoding',
    ...(isPacked && { 'content-encoding': 'gzip' }),
    // The page needs no resources and no scripts, so this policy forbids both.
    ...(asked.data === 'html' && {
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }),
  });
}

const types = { json: 'application/json', markdown: 'text/markdown', html: 'text/html' };

const takesGzip = (accepted = ''): boolean =>
  accepted.split(',').some((each) => {
    const [coding = '', ...parameters] = each
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return (coding === 'gzip' || coding === 'x-gzip') && !parameters.some((part) => /^q=0(\.0*)?$/.test(part));
  });

/** Handles GET /apps/:ref/entities: returns the entities of every schema, for the Data page and for completion. */
export async function showEntities(context: AdminContext, ref: string): Promise<Reply> {
  return jsonBytes(await context.specify.entities(await openApp(context, ref)));
}

const typesFormat = z.enum(['typescript', 'zod', 'json-schema']);

/**
 * Handles GET /apps/:ref/types?format=typescript|zod|json-schema&entity=: returns the types of all entities or of one.
 */
export async function showTypes(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const query = new URLSearchParams(request.query);
  const asked = typesFormat.safeParse(query.get('format') ?? 'typescript');
  if (!asked.success) {
    throw new NinefoldError('validation_invalid', { message: 'format is typescript, zod or json-schema.' });
  }
  const text = await context.specify.types(await openApp(context, ref), asked.data, query.get('entity'));
  return textReply(asked.data === 'json-schema' ? 'application/schema+json' : 'text/plain', text);
}

const textReply = (type: string, body: Uint8Array, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', ...headers },
  body,
});

/**
 * Handles GET /apps/:ref/specification/call?id=: returns one call of chapter 7 as example programs and as an HTTP
 * request.
 * @throws `not_found` if the app has no such call
 */
export async function showCall(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const id = new URLSearchParams(request.query).get('id');
  if (id === null) throw new NinefoldError('validation_invalid', { message: 'id is that of a call in chapter 7.' });
  const detail = await context.specify.callDetail(await openApp(context, ref), id);
  if (!detail) throw new NinefoldError('not_found', { message: 'The app answers no call with this id.' });
  return json(detail);
}
