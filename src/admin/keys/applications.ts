import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';

/**
 * Handles a call below /apps/:ref/applications like `/auth/v1/admin/oauth/clients` of the app. The route has checked
 * the role of the builder.
 *
 * @param path The path below /admin/oauth/clients.
 * @throws what that call throws
 */
export async function callApplications(
  context: AdminContext,
  request: CallRequest,
  ref: string,
  path: string,
): Promise<Reply> {
  const app = await openApp(context, ref);
  return context.callAuthAdmin(app, { ...request, path: `/admin/oauth/clients${path}` });
}
