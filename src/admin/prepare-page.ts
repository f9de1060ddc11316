import { consoleHeader } from '../../contract/admin.ts';
import type { CallRequest } from '../../contract/call-request.ts';
import type { AdminContext } from './context.ts';
import { handleAdmin } from './handle.ts';

/** Matches the pages of an app in the console: /app/desk, /app/desk/entities. */
const APP_PAGE = /^\/app\/([a-z][a-z0-9-]*)(?:\/|$)/;

/**
 * Starts to derive the specification that a page of the console will request, while the browser still loads the code of
 * the page. The first derivation after a start takes most of a second. Does nothing for a page that shows no app, or
 * for a caller without a session.
 * @param page The request for the page.
 * @throws Errors of the request for the specification, for example because the builder has no role on the app.
 */
export async function preparePage(context: AdminContext, page: CallRequest): Promise<void> {
  const ref = APP_PAGE.exec(page.path)?.[1];
  const { cookie, 'accept-encoding': encodings } = page.headers;
  if (ref === undefined || cookie === undefined) return;
  await handleAdmin(
    context,
    {
      ...page,
      path: `/apps/${ref}/specification`,
      query: 'format=json',
      // This request gets the header of the console, although the browser did not send it. This is safe, because no
      // client receives the response.
      headers: { cookie, [consoleHeader]: '1', ...(encodings !== undefined && { 'accept-encoding': encodings }) },
    },
    null,
  );
}
