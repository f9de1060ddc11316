import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';

/** A certified OpenID provider on the loopback address. It shows no page, and signs `member` in at once. */
export interface OpenIdServer {
  readonly issuer: string;
  /** The person whom the provider signs in at the next request. */
  member: { id: string; email: string; email_verified: boolean; name: string };
  close(): Promise<void>;
}

/** Starts a provider that knows the client `client` with the secret `secret` and this callback address. The provider requires PKCE. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdServer> {
  let handle: ReturnType<Provider['callback']> | null = null;
  const http = createServer((request, response) => void handle?.(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const server: OpenIdServer = {
    issuer,
    member: { id: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada' },
    close: () => new Promise((resolve) => http.close(() => resolve()).closeAllConnections()),
  };
  const provider = new Provider(issuer, configuration(redirectUri, server));
  const callback = provider.callback();
  handle = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: server.member.id } });
  };
  return server;
}

const configuration = (redirectUri: string, server: OpenIdServer): Configuration => ({
  clients: [{ client_id: 'client', client_secret: 'secret', redirect_uris: [redirectUri] }],
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  cookies: { keys: ['for tests only'] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...server.member }) }),
  loadExistingGrant: async (context) => {
    const grant = new context.oidc.provider.Grant({
      clientId: context.oidc.client?.clientId ?? '',
      accountId: context.oidc.session?.accountId ?? '',
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

/** Follows the redirects of a provider with its cookies, as a browser does. Returns the first address outside of the provider. */
export async function throughProvider(start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(start);
  let url = new URL(start);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
    if (url.origin !== origin) return url;
  }
  throw new Error('the provider leads nowhere');
}
