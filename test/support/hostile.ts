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

/** Returns functions that send requests to the apps of a node. The owners of these apps try to harm the server from inside. */
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

  /**
   * Returns the setting `disable_signup` as four responses contain it. Each request has its own connection, so that
   * every worker responds.
   */
  const signUpDisabled = (app: AppConnection): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        const options = { headers: { apikey: app.anon_key }, ownConnection: true };
        const { body } = await send(node.url, `/apps/${app.ref}/auth/v1/settings`, options);
        return (JSON.parse(body) as { disable_signup: boolean }).disable_signup;
      }),
    );

  /** Sends each request of a builder for which the server runs something in the app's database. */
  const lookAt = (app: AppConnection, paths = everything): Promise<HttpResponse[]> =>
    Promise.all(paths.map((path) => send(node.url, `/admin/v1/apps/${app.ref}${path}`, { headers: operator })));

  /** Creates an app that the hostile apps must not disturb. */
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
