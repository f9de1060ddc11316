import { createHash } from 'node:crypto';
import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keyFetch } from 'jose';
import { LRUCache } from 'lru-cache';
import * as client from 'openid-client';
import { limits } from '../../../contract/limits.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { isInsecure, isProviderUrl, ProviderFailure, providerFetch, reasonOf } from './provider-fetch.ts';
import type { Provider } from './provider-table.ts';

/** A provider with known endpoints and keys. */
export interface ProviderClient {
  readonly configuration: client.Configuration;
  /** The keys that sign ID tokens; null for a provider without ID tokens. */
  readonly keys: JWTVerifyGetKey | null;
}

interface ClientContext {
  readonly app: { readonly ref: string };
  readonly addresses: AddressPolicy;
}

/** The providers whose endpoints and keys one worker has read. */
export class ProviderClients {
  readonly #clients = new LRUCache<string, Promise<ProviderClient>>({
    max: limits.providersCached.default,
    ttl: limits.providerCacheSeconds.default * 1000,
  });

  /**
   * Returns the client for a provider, and reads the provider's discovery document if it has one. The result is cached
   * by app, addresses and credentials.
   * @throws ProviderFailure
   */
  open(context: ClientContext, provider: Provider): Promise<ProviderClient> {
    const key = cacheKey(context.app.ref, provider);
    const known = this.#clients.get(key);
    if (known) return known;
    const opening = open(context, provider);
    this.#clients.set(key, opening);
    opening.catch(() => {
      if (this.#clients.peek(key) === opening) this.#clients.delete(key);
    });
    return opening;
  }
}

/** Returns the key in the cache. It is a hash, so that the cache contains no secret. */
function cacheKey(ref: string, { name, url, clientIds, secret, entry }: Provider): string {
  const address =
    entry.kind === 'oidc'
      ? [entry.issuer(url), entry.discovery]
      : [entry.authorization(url ?? entry.base), entry.token(url ?? entry.base)];
  return createHash('sha256')
    .update(JSON.stringify([ref, name, clientIds[0], secret, address]))
    .digest('base64');
}

async function open(context: ClientContext, provider: Provider): Promise<ProviderClient> {
  const { entry } = provider;
  const fetch = providerFetch(context.app.ref, context.addresses) as client.CustomFetch;
  if (entry.kind === 'oidc') return openOpenId(provider, entry.issuer(provider.url), entry.discovery, fetch);
  const base = provider.url ?? entry.base;
  const server = {
    issuer: entry.issuer(base),
    authorization_endpoint: entry.authorization(base),
    token_endpoint: entry.token(base),
  };
  const configuration = new client.Configuration(server, provider.clientIds[0], {}, authentication(provider));
  configuration[client.customFetch] = fetch;
  configuration.timeout = limits.providerMilliseconds.default / 1000;
  if (isInsecure(server.token_endpoint)) client.allowInsecureRequests(configuration);
  if (!entry.idTokens) return { configuration, keys: null };
  const described = await openOpenId(provider, entry.idTokens.issuer(provider.url), undefined, fetch).catch(() => null);
  return { configuration, keys: described?.keys ?? null };
}

async function openOpenId(
  provider: Provider,
  issuer: string,
  discovery: string | undefined,
  fetch: client.CustomFetch,
): Promise<ProviderClient> {
  const address = discovery ?? issuer;
  if (!isProviderUrl(address)) throw new ProviderFailure('The address of a provider begins with https://');
  const configuration = await client
    .discovery(new URL(address), provider.clientIds[0], {}, authentication(provider), {
      [client.customFetch]: fetch,
      timeout: limits.providerMilliseconds.default / 1000,
      ...(isInsecure(address) && { execute: [client.allowInsecureRequests] }),
    })
    .catch((error: unknown) => {
      throw new ProviderFailure(`The discovery document cannot be read: ${reasonOf(error)}`);
    });
  const server = configuration.serverMetadata();
  // The library checks the issuer only for an address that it has derived itself, so it is checked here.
  if (discovery !== undefined && server.issuer !== issuer) {
    throw new ProviderFailure('The discovery document names another issuer');
  }
  const { jwks_uri: keysAddress } = server;
  if (!keysAddress || !isProviderUrl(keysAddress)) throw new ProviderFailure('The discovery document names no keys');
  return { configuration, keys: keySet(keysAddress, fetch) };
}

/**
 * Returns the authentication method of the app. It is a function because the library calls it when it knows the methods
 * that the provider supports.
 */
export const authentication =
  ({ secret, entry }: Pick<Provider, 'secret' | 'entry'>): client.ClientAuth =>
  (server, metadata, body, headers) => {
    // The library does not check the type of this member of the discovery document.
    const methods: unknown = server.token_endpoint_auth_methods_supported;
    const usesBody =
      entry.kind === 'oauth2' ||
      entry.responseMode === 'form_post' ||
      (Array.isArray(methods) && methods.includes('client_secret_post'));
    const method =
      secret === null ? client.None() : usesBody ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
    method(server, metadata, body, headers);
  };

const keySet = (address: string, fetch: client.CustomFetch): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(address), {
    [keyFetch]: fetch as never,
    timeoutDuration: limits.providerMilliseconds.default,
    cooldownDuration: limits.providerKeyPauseSeconds.default * 1000,
    cacheMaxAge: limits.providerCacheSeconds.default * 1000,
  });
