import { createHash, randomBytes } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { expect, vi } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from './apps.ts';
import { clientOf } from './clients.ts';
import { type HttpResponse, send } from './http.ts';
import type { NodeAddress } from './node.ts';
import { uniqueEmail } from './unique.ts';

export const CALLBACK = 'http://localhost:5199/callback';
export const PASSWORD = 'correct horse battery';

/** The server's response when an application was registered. */
export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret?: string;
}

/** Parts of an authorization request. A missing part has the value that makes a valid request of the confidential client. */
interface Asked {
  client?: string;
  redirect?: string;
  verifier?: string;
  scope?: string;
}

export const verifierOf = (): string => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export const locationOf = (response: HttpResponse): URL => new URL(String(response.headers.location));

/** Returns the claims of a JWT without checking its signature. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

export const basicOf = ({ client_id, client_secret }: RegisteredClient): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
});

/** An app that is an OpenID provider for two clients: a confidential one named Photos, and a public one on a device. */
export type OAuthApp = Awaited<ReturnType<typeof makeOAuthApp>>;

/**
 * Creates an app that is an OpenID provider.
 * @param settings Rows of ninefold.settings in addition to the row that enables the provider.
 */
export async function makeOAuthApp(node: NodeAddress, settings: Readonly<Record<string, unknown>> = {}) {
  const rows = Object.entries({ oauth_server_enabled: true, ...settings });
  const values = rows.map(([key, value]) => `('${key}', '${JSON.stringify(value)}')`).join(', ');
  const app: AppConnection = await createAppWith(node, `insert into ninefold.settings (key, value) values ${values}`);
  const host = `${app.ref}.localhost:${new URL(node.url).port}`;
  const server = clientOf(app, app.secret_key).auth.admin.oauth;
  await vi.waitFor(async () => expect((await server.listClients()).error).toBeNull(), 5000);
  const register = async (values: object): Promise<RegisteredClient> => {
    const { data, error } = await server.createClient(values as Parameters<typeof server.createClient>[0]);
    expect(error).toBeNull();
    return data as RegisteredClient;
  };
  const photos = await register({ client_name: 'Photos', redirect_uris: [CALLBACK] });
  const publicClient = await register({
    client_name: 'Phone app',
    redirect_uris: ['photos-app://callback', 'https://photos.example.org/callback'],
    client_type: 'public',
    token_endpoint_auth_method: 'none',
  });

  /** Sends a request to the node with the app's name in the header Host, because Node.js does not resolve names below localhost. */
  const ask = (path: string, options: Parameters<typeof send>[2] = {}): Promise<HttpResponse> =>
    send(node.url, path, { ...options, headers: { host, ...options.headers } });

  const parametersOf = (asked: Asked, change: Record<string, string>): URLSearchParams =>
    new URLSearchParams({
      client_id: asked.client ?? photos.client_id,
      redirect_uri: asked.redirect ?? CALLBACK,
      response_type: 'code',
      scope: asked.scope ?? 'openid email profile offline_access',
      state: 'of the application',
      nonce: 'n-once',
      code_challenge: challengeOf(asked.verifier ?? verifierOf()),
      code_challenge_method: 'S256',
      ...change,
    });

  /** Sends an authorization request. Its response redirects the browser. */
  const authorize = (asked: Asked = {}, change: Record<string, string> = {}): Promise<HttpResponse> =>
    ask(`/auth/v1/oauth/authorize?${parametersOf(asked, change)}`);

  /** Sends an authorization request that waits for a decision of the member. Returns the id of the request. */
  const begin = async (asked: Asked = {}, change: Record<string, string> = {}): Promise<string> =>
    locationOf(await authorize(asked, change)).searchParams.get('authorization_id') ?? '';

  /** Sends an authorization request, and approves it as the member if this is necessary. Returns the code. */
  const codeFor = async (client: SupabaseClient, asked: Asked, change: Record<string, string> = {}) => {
    const id = await begin(asked, change);
    const { data } = await client.auth.oauth.getAuthorizationDetails(id);
    const direct = (data as { redirect_url?: string } | null)?.redirect_url;
    const url =
      direct ?? (await client.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).data?.redirect_url;
    return new URL(url ?? '').searchParams.get('code') ?? '';
  };

  /** Posts a form with the credentials of Photos, unless `headers` contains others. */
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = basicOf(photos)) =>
    ask(`/auth/v1/oauth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  const exchange = async (fields: Record<string, string>, headers?: Record<string, string>) => {
    const response = await post('token', fields, headers);
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(response.body) as Record<string, string>,
    };
  };

  /** Signs a member in to an application and returns the token response. */
  const tokensFor = async (client: SupabaseClient, asked: Asked = {}, change: Record<string, string> = {}) => {
    const verifier = asked.verifier ?? verifierOf();
    const { status, body } = await exchange(withCode(await codeFor(client, { ...asked, verifier }, change), verifier));
    expect(status).toBe(200);
    return body;
  };

  const member = async (): Promise<SupabaseClient> => {
    const client = clientOf(app);
    const { error } = await client.auth.signUp({
      email: uniqueEmail(),
      password: PASSWORD,
      options: { data: { name: 'Ada' } },
    });
    expect(error).toBeNull();
    return client;
  };

  return {
    ...{ app, host, photos, publicClient, register, ask, parametersOf, authorize, begin, codeFor },
    ...{ post, exchange, tokensFor, member },
  };
}

/** Returns the form fields with which a code is exchanged. The authorization request must have used `CALLBACK` as its redirect address. */
export const withCode = (code: string, verifier: string, more: Record<string, string> = {}) => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: CALLBACK,
  ...more,
});
