import type { App } from '../apps/app.ts';
import type { AdminContext } from './context.ts';

/**
 * Returns the app with this ref, once its listener is connected to its database.
 * @throws what `Apps.get` and `App.ready` throw
 */
export async function openApp(context: AdminContext, ref: string): Promise<App> {
  const app = await context.apps.get(ref);
  await app.ready();
  return app;
}
