import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';
import { memberPassword, signUpOnPages } from './portal-pages.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createAppWith(
    site.node,
    `insert into ninefold.settings (key, value) values ('oauth_server_enabled', 'true');
     select ninefold.describe_app(name => 'Harbour', purpose => 'Berths are booked.', audience => 'Skippers.')`,
  );
});
afterAll(() => site.close());

const password = (page: Page) => page.getByRole('textbox', { name: 'Password', exact: true });

/** Sends requests to the app as another application's server does. Node.js resolves no names below localhost. */
const toApp: openid.CustomFetch = async (address, { method, headers, body }) => {
  const { host, pathname, search } = new URL(address);
  const fields = { ...Object.fromEntries(new Headers(headers as Record<string, string>)), host };
  const sent = body === undefined || body === null ? {} : { body: String(body) };
  const response = await send(site.node.url, pathname + search, { method, headers: fields, ...sent });
  const type = String(response.headers['content-type']);
  return new Response(response.status === 204 ? null : response.body, {
    status: response.status,
    headers: { 'content-type': type },
  });
};

/** Starts a second application, which signs members in with the app as its provider. */
async function startApplication(name: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const registered = clientOf(app, app.secret_key).auth.admin.oauth;
  const { data, error } = await vi.waitFor(async () => {
    const made = await registered.createClient({ client_name: name, redirect_uris: [`${url}/callback`] });
    expect(made.error).toBeNull();
    return made;
  }, 5000);
  if (error || !data.client_secret) throw new Error('no application');
  const config = await openid.discovery(
    new URL(`${app.origin}/auth/v1`),
    data.client_id,
    data.client_secret,
    openid.ClientSecretBasic(data.client_secret),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests], [openid.customFetch]: toApp },
  );
  config[openid.customFetch] = toApp;
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier);
  const checks = { pkceCodeVerifier, expectedState: 'its-state', expectedNonce: 'its-nonce' };
  const results: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>[] = [];
  server.on('request', async (request, response) => {
    const { pathname, href, searchParams } = new URL(request.url ?? '', url);
    if (pathname === '/callback' && searchParams.has('code')) {
      results.push(await openid.authorizationCodeGrant(config, new URL(href), checks));
    }
    const said = pathname === '/callback' ? `Answer: ${searchParams.get('error') ?? 'signed in'}` : '';
    response.setHeader('content-type', 'text/plain').end(said);
  });
  const begin = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${url}/callback`,
    scope: 'openid email offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  }).href;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url, id: data.client_id, config, results, begin, close };
}

it('the portal asks a member for consent before another application signs the member in, until the member revokes the consent', async () => {
  const photos = await startApplication('Photos <b onclick=alert(1)>');
  const { page, problems, context, email } = await signUpOnPages(site, app, 'Zoë Quick', 'wide');
  await page.evaluate(() => localStorage.clear());

  await page.goto(photos.begin);
  await page.getByLabel('E-mail').fill(email);
  await password(page).fill(memberPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to Photos <b onclick=alert(1)>?' }).waitFor();
  await page.getByText(new URL(photos.url).host).waitFor();
  expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
    'know that it is you, by the id of your account',
    'read your e-mail address',
    'stay signed in while you are away',
    'read and change data of Harbour as you, as far as Harbour lets applications',
  ]);
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Answer: access_denied').waitFor();
  await page.goto(photos.begin);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Answer: signed in').waitFor();
  await page.goto(photos.begin);
  await page.getByText('Answer: signed in').waitFor();
  expect(photos.results).toHaveLength(2);
  await page.goto(`${app.origin}/account/consent?authorization_id=of-another`);
  await page.getByRole('heading', { name: 'This request no longer works' }).waitFor();
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);

  const answer = (text: string) => page.getByText(`Answer: ${text}`).waitFor();
  await page.goto(`${photos.begin}&prompt=none`);
  await answer('signed in');
  await page.goto(`${photos.begin}&prompt=select_account`);
  await page.getByRole('button', { name: 'Use another account' }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await page.goto(`${photos.begin}&prompt=none`);
  await answer('login_required');
  await page.goto(`${photos.begin}&login_hint=${encodeURIComponent(email)}`);
  expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
  await password(page).fill(memberPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await answer('signed in');
  await page.goto(`${photos.begin}&prompt=login`);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByLabel('E-mail').fill(email);
  await password(page).fill(memberPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await answer('signed in');
  expect(photos.results).toHaveLength(5);

  const tokens = photos.results.at(-1);
  const { jwks_uri = '', issuer } = photos.config.serverMetadata();
  const keys = createLocalJWKSet(await (await toApp(jwks_uri, { method: 'GET', headers: {} } as never)).json());
  const id = await jwtVerify(tokens?.id_token ?? '', keys, { issuer, audience: photos.id });
  expect(id.payload).toMatchObject({ email, nonce: 'its-nonce' });
  const info = await openid.fetchUserInfo(photos.config, tokens?.access_token ?? '', id.payload.sub ?? '');
  expect(info).toMatchObject({ email });
  const renewed = await openid.refreshTokenGrant(photos.config, tokens?.refresh_token ?? '');
  await page.goto(`${app.origin}/account`);
  const applications = page.getByRole('region', { name: 'Applications' });
  await applications.getByText('stay signed in while you are away').waitFor();
  expect(await faults(page)).toEqual([]);
  await applications.getByRole('button', { name: 'Revoke Photos' }).click();
  await applications.getByText('No application has access to your account.').waitFor();
  await expect(openid.refreshTokenGrant(photos.config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await Promise.all([context.close(), photos.close()]);
});
