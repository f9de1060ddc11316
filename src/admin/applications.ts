import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';

/**
 * Answers a call below /apps/:ref/applications as `/auth/v1/admin/oauth/clients` of the app answers it. The route has checked the role of the
 * builder. Throws what that call throws.
 *
 * @param path The rest of the path below /admin/oauth/clients.
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
