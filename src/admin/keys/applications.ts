import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';

interface Given {
  readonly context: AdminContext;
  readonly request: CallRequest;
  readonly ref: string;
}

/**
 * Handles a call like `/auth/v1/admin/oauth/clients` of the app. The route has checked the role of the builder.
 * @param path The path below /admin/oauth/clients.
 * @throws what that call throws
 */
async function asAuthAdmin({ context, request, ref }: Given, path: string): Promise<Reply> {
  const app = await openApp(context, ref);
  return context.callAuthAdmin(app, { ...request, path: `/admin/oauth/clients${path}` });
}

const one = (given: Given & { readonly id: string }): Promise<Reply> =>
  asAuthAdmin(given, `/${encodeURIComponent(given.id)}`);

const showApplications = adminCall({
  route: 'GET /apps/:ref/applications',
  least: 'reader',
  summary: 'Returns the applications that sign members in with the app (clients of its OAuth server).',
  returns: 'as GET /auth/v1/admin/oauth/clients',
  handle: (given) => asAuthAdmin(given, ''),
});

const registerApplication = adminCall({
  route: 'POST /apps/:ref/applications',
  least: 'developer',
  audit: {
    action: 'application_registered',
    details: ({ client_name, redirect_uris }) => ({ client_name, redirect_uris: JSON.stringify(redirect_uris) }),
  },
  summary: 'Registers an application.',
  returns: 'as POST /auth/v1/admin/oauth/clients',
  handle: (given) => asAuthAdmin(given, ''),
});

const changeApplication = adminCall({
  route: 'PUT /apps/:ref/applications/:id',
  least: 'developer',
  audit: {
    action: 'application_changed',
    details: ({ redirect_uris }, { id }) => ({
      client_id: id,
      ...(redirect_uris !== undefined && { redirect_uris: JSON.stringify(redirect_uris) }),
    }),
  },
  summary: 'Changes an application.',
  returns: 'as PUT /auth/v1/admin/oauth/clients/:id',
  handle: one,
});

const deleteApplication = adminCall({
  route: 'DELETE /apps/:ref/applications/:id',
  least: 'developer',
  audit: { action: 'application_deleted', details: (_, { id }) => ({ client_id: id }) },
  summary: 'Deletes an application.',
  returns: 'as DELETE /auth/v1/admin/oauth/clients/:id',
  handle: one,
});

const renewApplicationSecret = adminCall({
  route: 'POST /apps/:ref/applications/:id/secret',
  least: 'developer',
  audit: { action: 'application_secret_renewed', details: (_, { id }) => ({ client_id: id }) },
  summary: 'Replaces the secret of an application.',
  returns: 'as POST /auth/v1/admin/oauth/clients/:id/regenerate_secret',
  handle: (given) => asAuthAdmin(given, `/${encodeURIComponent(given.id)}/regenerate_secret`),
});

export const applicationCalls: readonly AdminCall[] = [
  showApplications,
  registerApplication,
  changeApplication,
  deleteApplication,
  renewApplicationSecret,
];
