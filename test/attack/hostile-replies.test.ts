import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';

/** Headers and bodies of an app's functions must only affect their own response. */
const node = inject('node');

const operator = { authorization: `Bearer ${node.operatorToken}` };
const post = (app: AppConnection, path: string, body: unknown) =>
  send(node.url, `/apps/${app.ref}${path}`, {
    method: 'POST',
    headers: { apikey: app.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('responses of an app’s functions', () => {
  let app: AppConnection;
  beforeAll(async () => {
    app = await createAppWith(
      node,
      `create function public.reply(headers text, status text) returns text language sql volatile as
         $$ select set_config('response.headers', headers, true), set_config('response.status', status, true); select 'body' $$;
       create function public.fail(sqlstate text, message text, detail text) returns void language plpgsql volatile as
         $$ begin raise exception using errcode = sqlstate, message = message, detail = detail; end $$;
       create function public.flood(bytes int) returns text language sql return repeat('x', bytes);`,
    );
  });
  const call = (fn: string, body: unknown) => post(app, `/rest/v1/rpc/${fn}`, body);

  it.each(['content-length', 'transfer-encoding', 'connection', 'upgrade', 'trailer', 'keep-alive', 'te'])(
    'cannot set %s, so that the next response on the connection stays intact',
    async (name) => {
      const response = await call('reply', { headers: JSON.stringify([{ [name]: '3' }]), status: '200' });
      expect(JSON.parse(response.body).code).toBe('PGRST111');
      expect((await call('reply', { headers: '[]', status: '200' })).body).toBe('"body"');
    },
  );

  it.each([
    '[{"x":"a\\r\\nx-evil: 1"}]',
    '[{"x\\r\\nx-evil":"1"}]',
    '[{"x":"\u0100"}]',
    '[{"x":"\\u0000"}]',
    '[{"":"x"}]',
    '{"x":"y"}',
    '[1]',
    'no JSON',
  ])('get PGRST111 if response.headers is %s', async (headers) => {
    const response = await call('reply', { headers, status: '200' });
    expect(response.headers['x-evil']).toBeUndefined();
    expect(JSON.parse(response.body).code).toBe('PGRST111');
  });

  it.each(['100', '101', '199', '600', '-1', 'abc', '1e3', '99999999999'])(
    'get PGRST112 if response.status is %s',
    async (status) => {
      expect(JSON.parse((await call('reply', { headers: '[]', status })).body).code).toBe('PGRST112');
    },
  );

  it('contain the request id of the server, even if the function sets another one', async () => {
    const response = await call('reply', { headers: '[{"x-request-id":"forged"}]', status: '200' });
    expect(response.headers['x-request-id']).not.toBe('forged');
  });

  it.each([
    ['PT100', 500],
    ['PT999', 500],
    ['PT418', 418],
    ['PGRST', 500],
    ['57P01', 503],
    ['XX000', 500],
  ])('have a valid status if the function raises %s', async (sqlstate, status) => {
    const response = await call('fail', { sqlstate, message: 'a\r\nx-evil: 1', detail: '{"status":101}' });
    expect([response.status, response.headers['x-evil'], response.headers['x-request-id']]).toEqual([
      status,
      undefined,
      expect.any(String),
    ]);
  });

  it('are refused above the size limit, so that they do not fill the server’s memory', async () => {
    for (const response of [
      await call('flood', { bytes: 70_000_000 }),
      await send(node.url, `/admin/v1/apps/${app.ref}/sql`, {
        method: 'POST',
        headers: { ...operator, 'content-type': 'application/json' },
        body: JSON.stringify({ sql: `select repeat('x', 70000000)` }),
      }),
    ]) {
      expect(expectRefusal(response)).toBe('result_too_large');
    }
    expect((await call('flood', { bytes: 10 })).body).toBe('"xxxxxxxxxx"');
  });
});
