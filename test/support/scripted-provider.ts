import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** The response to requests of one path: a value that is sent as JSON, or a function that writes the response. */
export type Scripted = unknown | ((request: IncomingMessage, response: ServerResponse) => void);

/** A server whose responses the test defines. It stands for a provider without OpenID Connect, or for a hostile provider. */
export interface ScriptedProvider {
  readonly url: string;
  /** The responses by path. The path does not include the query. */
  readonly answers: Map<string, Scripted>;
  /** Method and path of each request, with the body. */
  readonly requests: { readonly line: string; readonly body: string; readonly headers: IncomingMessage['headers'] }[];
  /** Returns an ID token that this server signs with its own key. */
  idToken(
    claims: JWTPayload,
    options?: { alg?: string; kid?: string; typ?: string; key?: webcrypto.CryptoKey | Uint8Array },
  ): Promise<string>;
  /** The server's public key as a JWK. */
  readonly jwk: Record<string, unknown>;
  close(): Promise<void>;
}

/** Starts a server that has a discovery document and publishes its keys. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const answers = new Map<string, Scripted>();
  const requests: ScriptedProvider['requests'] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url = '/', headers } = request;
      requests.push({ line: `${method} ${url}`, body: Buffer.concat(chunks).toString(), headers });
      const answer = answers.get(url.split('?')[0] ?? '');
      if (typeof answer === 'function') answer(request, response);
      else
        response
          .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  answers.set('/.well-known/openid-configuration', {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
  answers.set('/jwks', { keys: [jwk] });
  return {
    url,
    answers,
    requests,
    jwk,
    idToken: (claims, { alg = 'RS256', kid = 'one', typ = 'JWT', key = privateKey } = {}) =>
      new SignJWT({ iss: url, aud: 'client', sub: 'someone', ...claims })
        .setProtectedHeader({ alg, kid, typ })
        .setIssuedAt(claims.iat)
        .setExpirationTime(claims.exp ?? '5m')
        .sign(key),
    close: () => new Promise((resolve) => http.close(() => resolve()).closeAllConnections()),
  };
}
