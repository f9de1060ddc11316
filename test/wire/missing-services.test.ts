import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';

const node = inject('node');
let app: AppConnection;

beforeAll(async () => {
  app = await createApp(node);
});

const sentence = (title: string) => expect.stringContaining(`does not have the service “${title}”`);
const help = expect.stringMatching(/^http.*\/docs\/errors\/service_missing$/);

it.each([
  [
    '/graphql/v1',
    { data: null, errors: [{ message: sentence('GraphQL'), extensions: { code: 'service_missing', help } }] },
  ],
  ['/pg/tables', { error: sentence('The API of Studio (/pg)'), code: 'service_missing', help }],
  ['/analytics/v1/endpoints/query', { error: { message: sentence('Analytics'), code: 'service_missing', help } }],
  ['/unknown/v1/call', { code: 'not_found', message: expect.any(String) }],
])('%s answers the preflight of a browser, and the call with an error that a page can read', async (path, body) => {
  const preflight = await fetch(`${app.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://front.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'apikey,authorization,x-client-info',
    },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-client-info');
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { origin: 'https://front.example', apikey: app.publishable_key, 'content-type': 'application/json' },
    body: '{}',
  });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  expect(response.headers.get('link')).toMatch(/\/docs\/errors\/(service_missing|not_found)>; rel="help"/);
  expect(await response.json()).toMatchObject(body);
});

it('supabase-js gets an error with a sentence for a function that the app does not run', async () => {
  const { data, error } = await clientOf(app).functions.invoke('hello', { body: {} });
  expect([data, error?.name]).toEqual([null, 'FunctionsHttpError']);
  const context = error?.context as Response;
  expect([context.status, await context.json()]).toMatchObject([404, { message: expect.stringMatching(/\w/) }]);
});
