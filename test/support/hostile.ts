import { expect } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from './apps.ts';
import { type HttpResponse, send } from './http.ts';
import type { NodeAddress } from './node.ts';

const everything = [
  '',
  '/activity',
  '/entities',
  '/specification',
  '/specification?format=markdown',
  '/sessions',
  '/auth/v1/admin/users',
];

export const statuses = (answers: HttpResponse[]) => answers.map(({ status }) => status);
export const allWell = [200, 200, 200, 200, 200, 200, 200];

/** Returns functions for calls to the apps of a node whose owners try to harm the server from inside. */
export function hostileCalls(node: NodeAddress) {
  const operator = { authorization: `Bearer ${node.operatorToken}` };
  const get = (app: AppConnection, path: string) =>
    send(node.url, `/apps/${app.ref}${path}`, { headers: { apikey: app.anon_key } });
  const rows = async (app: AppConnection, sql: string) => (await runSql(node, app.ref, sql)).results.at(-1)?.rows;

  const post = (app: AppConnection, path: string, body: unknown) =>
    send(node.url, `/apps/${app.ref}${path}`, {
      method: 'POST',
      headers: { apikey: app.anon_key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Returns `disable_signup` in four responses. Each uses its own connection, so that every worker responds. */
  const signUpDisabled = (app: AppConnection): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        const options = { headers: { apikey: app.anon_key }, ownConnection: true };
        const { body } = await send(node.url, `/apps/${app.ref}/auth/v1/settings`, options);
        return (JSON.parse(body) as { disable_signup: boolean }).disable_signup;
      }),
    );

  /** Makes all calls that the server runs in an app's database for a builder. */
  const lookAt = (app: AppConnection, paths = everything): Promise<HttpResponse[]> =>
    Promise.all(paths.map((path) => send(node.url, `/admin/v1/apps/${app.ref}${path}`, { headers: operator })));

  /** Creates an app that other apps must not disturb. */
  const makeNeighbour = async (): Promise<AppConnection> => {
    const app = await createApp(node);
    await runSql(node, app.ref, 'create table public.canary (id int); insert into public.canary values (1)');
    return app;
  };
  const expectServed = async (neighbour: AppConnection): Promise<void> => {
    expect(await get(neighbour, '/rest/v1/canary')).toMatchObject({ status: 200, body: '[{"id":1}]' });
  };
  return { operator, get, rows, post, signUpDisabled, lookAt, makeNeighbour, expectServed };
}
