import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { AdminContext } from './context.ts';
import { json } from './router.ts';
export async function showSpecification(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  await context.apps.get(ref);
  return json({ exchange: exchange.path });
}
export async function showEntities(context: AdminContext, ref: string): Promise<Reply> {
  await context.apps.get(ref);
  return json([]);
}
