import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json } from './router.ts';
import { specificationReply } from './specification-body.ts';

const format = z.enum(['json', 'markdown', 'html']);

/** GET /apps/:ref/specification, as JSON or with `?format=markdown|html`. */
export async function showSpecification(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const asked = format.safeParse(new URLSearchParams(exchange.query).get('format') ?? 'json');
  if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'format is json, markdown or html.' });
  const specification = await context.specify.specification(await openApp(context, ref));
  switch (asked.data) {
    case 'json':
      return specificationReply(specification, exchange);
    case 'markdown':
      return textReply('text/markdown', context.specify.markdown(specification));
    case 'html':
      // The page needs nothing from anywhere; as an answer of this server it may not even run in its name.
      return textReply('text/html', context.specify.html(specification), {
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      });
  }
}

/** GET /apps/:ref/entities: those of every schema, for Data and for completion. */
export async function showEntities(context: AdminContext, ref: string): Promise<Reply> {
  return json(await context.specify.entities(await openApp(context, ref)));
}

const typesFormat = z.enum(['typescript', 'zod', 'json-schema']);

/** GET /apps/:ref/types?format=typescript|zod|json-schema&entity=: the app's entities for programs, or one of them. */
export async function showTypes(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const query = new URLSearchParams(exchange.query);
  const asked = typesFormat.safeParse(query.get('format') ?? 'typescript');
  if (!asked.success) {
    throw new NinefoldError('validation_invalid', { message: 'format is typescript, zod or json-schema.' });
  }
  const text = await context.specify.types(await openApp(context, ref), asked.data, query.get('entity'));
  return textReply(asked.data === 'json-schema' ? 'application/schema+json' : 'text/plain', text);
}

const textReply = (type: string, body: string, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store', ...headers },
  body,
});
