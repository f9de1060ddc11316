import { z } from 'zod';
import type { Reply } from '../../../contract/call-request.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { SpecificationFormat } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, jsonBytes } from '../reply.ts';

const format = z.enum(['json', 'markdown', 'html']) satisfies z.ZodType<SpecificationFormat>;

const showSpecification = adminCall({
  route: 'GET /apps/:ref/specification',
  least: 'reader',
  summary:
    'Returns JSON, or with `?format=markdown|html` a document. With `?extent=one-page`, returns one page that explains the app (OnePage). Compresses the response for a client that accepts gzip (RFC 9110, section 12.5.3).',
  returns: 'Specification',
  query: ['format', 'extent'],
  handle: async ({ context, request, ref, query }) => {
    const asked = format.safeParse(query.get('format') ?? 'json');
    if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'format is json, markdown or html.' });
    const extent = z.enum(['complete', 'one-page']).safeParse(query.get('extent') ?? 'complete');
    if (!extent.success) throw new NinefoldError('validation_invalid', { message: 'extent is complete or one-page.' });
    const isPacked = takesGzip(request.headers['accept-encoding']);
    const page = await context.specify.page(await openApp(context, ref), asked.data, extent.data, isPacked);
    return textReply(types[asked.data], page, {
      vary: 'accept-encoding',
      ...(isPacked && { 'content-encoding': 'gzip' }),
      // The page needs no resources and no scripts, so this policy forbids both.
      ...(asked.data === 'html' && {
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      }),
    });
  },
});

/** The media types of the formats of a specification. */
export const types = { json: 'application/json', markdown: 'text/markdown', html: 'text/html' };

/** Returns true for a value of Accept-Encoding that accepts gzip (RFC 9110, section 12.5.3). */
export const takesGzip = (accepted = ''): boolean =>
  accepted.split(',').some((each) => {
    const [coding = '', ...parameters] = each
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return (coding === 'gzip' || coding === 'x-gzip') && !parameters.some((part) => /^q=0(\.0*)?$/.test(part));
  });

const showEntities = adminCall({
  route: 'GET /apps/:ref/entities',
  least: 'reader',
  summary: 'Returns the entities of every schema, for the Data page and for completion.',
  returns: 'Entity[]',
  handle: async ({ context, ref }) => jsonBytes(await context.specify.entities(await openApp(context, ref))),
});

const typesFormat = z.enum(['typescript', 'zod', 'json-schema']);

const showTypes = adminCall({
  route: 'GET /apps/:ref/types',
  least: 'reader',
  summary: 'Returns the types of all entities or of one.',
  returns: 'text',
  query: ['format', 'entity'],
  handle: async ({ context, ref, query }) => {
    const asked = typesFormat.safeParse(query.get('format') ?? 'typescript');
    if (!asked.success) {
      throw new NinefoldError('validation_invalid', { message: 'format is typescript, zod or json-schema.' });
    }
    const text = await context.specify.types(await openApp(context, ref), asked.data, query.get('entity'));
    return textReply(asked.data === 'json-schema' ? 'application/schema+json' : 'text/plain', text);
  },
});

const textReply = (type: string, body: Uint8Array, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', ...headers },
  body,
});

const showCall = adminCall({
  route: 'GET /apps/:ref/specification/call',
  least: 'reader',
  summary: 'Returns one call of chapter 7 as example programs and as an HTTP request.',
  returns: 'CallDetail',
  errors: ['not_found'],
  query: ['id'],
  handle: async ({ context, ref, query }) => {
    const id = query.get('id');
    if (id === null) throw new NinefoldError('validation_invalid', { message: 'id is that of a call in chapter 7.' });
    const detail = await context.specify.callDetail(await openApp(context, ref), id);
    if (!detail) throw new NinefoldError('not_found', { message: 'The app answers no call with this id.' });
    return json(detail);
  },
});

export const specificationCalls: readonly AdminCall[] = [showCall, showEntities, showSpecification, showTypes];
