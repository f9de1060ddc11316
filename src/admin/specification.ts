import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AdminContext } from './context.ts';
import { json } from './router.ts';

const format = z.enum(['json', 'markdown']);

/** GET /apps/:ref/specification, as JSON or with `?format=markdown`. */
export async function showSpecification(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const asked = format.safeParse(new URLSearchParams(exchange.query).get('format') ?? 'json');
  if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'format is json or markdown.' });
  const specification = await context.specify.specification(await openApp(context, ref));
  if (asked.data === 'json') return json(specification);
  return {
    status: 200,
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-store' },
    body: context.specify.markdown(specification),
  };
}

/** GET /apps/:ref/entities: those of every schema, for Data and for completion. */
export async function showEntities(context: AdminContext, ref: string): Promise<Reply> {
  return json(await context.specify.entities(await openApp(context, ref)));
}

async function openApp(context: AdminContext, ref: string): Promise<App> {
  const app = await context.apps.get(ref);
  await app.ready();
  return app;
}
