import type { AppConnection } from '../../contract/admin.ts';
import { type HttpRequest, type HttpResponse, send } from './http.ts';
import type { NodeAddress } from './node.ts';

/** The path of a request, and its other parts. */
export type Call = readonly [path: string, request?: HttpRequest];

export const json = (method: string, body: unknown): HttpRequest => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const files = { files: [{ name: '0001_a.sql', sql: 'create table public.a ()' }] };

/** Requests to the management API that use an app's database. Their paths are below /admin/v1/apps/<ref>. */
export const adminCalls: readonly Call[] = [
  ...[
    '/activity',
    '/sign-ins',
    '/statistics/calls',
    '/specification/call?id=rest.public.notes.select',
    '/traces/made-up',
    '/logs',
    '/logs/summary',
    '/errors',
  ],
  ...[
    '/migrations/unsaved',
    '/entities',
    '/specification',
    '/specification?format=markdown',
    '/probe',
    '/types',
    '/versions',
  ],
  ...['/versions/1', '/versions/2/changes?since=1', '/settings', '/sessions'],
]
  .map((path): Call => [path])
  .concat([
    ['/sql', json('POST', { sql: 'select 1' })],
    ['/migrations', json('POST', files)],
    ['/migrations/trial', json('POST', files)],
    ['/migrations/save', json('POST', { name: '0001_a.sql', sql: 'create table public.a ()', last: 1 })],
    ['/probe', { method: 'POST' }],
    ['/settings/db_max_rows', json('PUT', { value: 5 })],
    ['/settings/db_max_rows', { method: 'DELETE' }],
    ['/sessions', json('DELETE', {})],
    ['/auth/v1/admin/users'],
    ['/rest/v1/notes'],
  ]);

/** Requests to the app's own API. Their paths are below /apps/<ref>. The app needs a table `notes` and a function `ping`. */
export const appCalls: readonly Call[] = [
  ['/rest/v1/'],
  ['/rest/v1/notes'],
  ['/rest/v1/notes', json('POST', { id: 1 })],
  ['/rest/v1/rpc/ping'],
  ['/openapi.json'],
  ['/auth/v1/settings'],
  ['/auth/v1/user'],
  ['/auth/v1/signup', json('POST', { email: 'a@example.com', password: 'long enough' })],
  ['/auth/v1/token?grant_type=password', json('POST', { email: 'a@example.com', password: 'x' })],
  ['/auth/v1/token?grant_type=refresh_token', json('POST', { refresh_token: 'x' })],
  ['/auth/v1/logout', { method: 'POST' }],
];

export const notesAndPing = `create table public.notes (id int primary key); create function public.ping() returns int language sql stable as 'select 1'`;

/** Sends the request with the operator's token. */
export const callAdmin = (node: NodeAddress, app: AppConnection, [path, request]: Call): Promise<HttpResponse> =>
  send(node.url, `/admin/v1/apps/${app.ref}${path}`, {
    ...request,
    headers: { authorization: `Bearer ${node.operatorToken}`, ...request?.headers },
  });

/** Sends the request as the member to whom this access token belongs. */
export const callApp = (
  node: NodeAddress,
  app: AppConnection,
  token: string,
  [path, request]: Call,
): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}${path}`, {
    ...request,
    headers: { apikey: app.anon_key, authorization: `Bearer ${token}`, ...request?.headers },
  });
