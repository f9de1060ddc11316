import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { limits } from '../../contract/limits.ts';
import { type AddressPolicy, namesClient } from './public-address.ts';
import { resolveHost } from './resolve-host.ts';

/** A request to be sent. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Record<string, string> | null;
  body: Buffer | null;
  timeoutMilliseconds: number;
  /** Maximum size of the response body; the limit httpResponseBytes by default. */
  maxBytes?: number;
}

/** The response to a request, or the reason why there is none. The fields are columns of net._http_response. */
export interface HttpResult {
  status: number | null;
  contentType: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timedOut: boolean;
  error: string | null;
  /** Reason why Ninefold sent no request, or did not read the complete response. */
  refusal?: Refusal;
}

type Refusal = 'not-sent' | 'too-large';

/** Error of a request that was not sent, or whose response cannot be stored. The message is for the app. */
class RequestRefused extends Error {
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal = 'not-sent') {
    super(message);
    this.refusal = refusal;
  }
}

/** Headers that belong to one connection and are not forwarded (RFC 9110, section 7.6.1). */
export const connectionHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);
/** Headers that an app cannot set: they belong to the connection, or Node derives them from the request. */
const ownHeaders: ReadonlySet<string> = new Set([...connectionHeaders, 'content-length', 'expect', 'host']);

/**
 * Sends one request and reads its response. Follows no redirect. Never throws: an error is part of the result.
 * @param dnsServers Addresses of DNS servers; by default those of the system.
 */
export async function sendRequest(
  request: OutgoingRequest,
  policy: AddressPolicy,
  dnsServers?: readonly string[],
): Promise<HttpResult> {
  const milliseconds = Math.max(1, Math.min(request.timeoutMilliseconds, limits.httpRequestMilliseconds.default));
  const timeout = AbortSignal.timeout(milliseconds);
  try {
    const options = await requestOptions(request, policy, timeout, dnsServers);
    return await exchange(options, request.body, request.maxBytes ?? limits.httpResponseBytes.default);
  } catch (error) {
    const none = { status: null, contentType: null, headers: null, content: null };
    if (timeout.aborted) return { ...none, timedOut: true, error: `Timeout of ${milliseconds} ms reached` };
    const refusal = error instanceof RequestRefused ? { refusal: error.refusal } : {};
    return { ...none, timedOut: false, error: reasonOf(error), ...refusal };
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof RequestRefused) return error.message;
  return error instanceof Error ? `Could not send the request: ${error.message || error.name}` : String(error);
};

async function requestOptions(
  { method, url: text, headers, body }: OutgoingRequest,
  policy: AddressPolicy,
  signal: AbortSignal,
  dnsServers: readonly string[] | undefined,
): Promise<RequestOptions> {
  if (!URL.canParse(text)) throw new RequestRefused('Not sent: the URL is invalid');
  const url = new URL(text);
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') throw new RequestRefused('Not sent: only http and https URLs are allowed');
  const own = policy.ownAddressOf(url);
  if (own !== null) {
    // The node serves plain HTTP, also behind a proxy with TLS.
    return {
      ...{
        ...own,
        method: method.toUpperCase(),
        protocol: 'http:',
        path: `${url.pathname}${url.search}`,
        agent: false,
        signal,
      },
      headers: { ...withoutClient(checkedHeaders(headers ?? {}, body)), Host: url.host },
      maxHeaderSize: limits.httpHeaderBytes.default,
    };
  }
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found = await resolveHost(host, signal, dnsServers);
  if (found.length === 0) throw new RequestRefused("Couldn't resolve host name");
  const addresses = found.filter((address) => policy.allows(address, port));
  if (addresses.length === 0) {
    throw new RequestRefused(`Not sent: ${url.host} is no public address, or its port is not allowed`);
  }
  return {
    method: method.toUpperCase(),
    protocol: url.protocol,
    host,
    port,
    path: `${url.pathname}${url.search}`,
    headers: checkedHeaders(headers ?? {}, body),
    ...(url.username !== '' && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
    // The resolved addresses are used again. A second lookup of the name could return an address that was not checked.
    lookup: lookupOf(addresses),
    agent: false,
    signal,
    maxHeaderSize: limits.httpHeaderBytes.default,
    insecureHTTPParser: false,
    ...(isTls && { rejectUnauthorized: true, ...(isIP(host) === 0 && { servername: host }) }),
  };
}

const withoutClient = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !namesClient(name)));

function checkedHeaders(headers: Record<string, string>, body: Buffer | null): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.has(name.toLowerCase())) throw new RequestRefused(`Not sent: the header ${name} cannot be set`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new RequestRefused('Not sent: a header has an invalid name or value');
    }
  }
  const hasAgent = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return {
    ...(!hasAgent && { 'User-Agent': 'ninefold' }),
    ...headers,
    ...(body && { 'Content-Length': String(body.length) }),
  };
}

/** Returns a lookup function that returns fixed addresses. A second lookup of a name could return an address that was not checked. */
export const lookupOf = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
};

function exchange(options: RequestOptions, body: Buffer | null, maxBytes: number): Promise<HttpResult> {
  return new Promise((resolve, reject) => {
    const send = options.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(options, (response) => {
      readBody(response, maxBytes).then((content) => resolve(resultOf(response, content)), reject);
    });
    onNoResponse(request, reject);
    request.end(body ?? undefined);
  });
}

/**
 * Calls `fail` once if a request ends without a response. After 101 (Switching Protocols), Node.js closes the connection
 * and emits no error.
 */
export function onNoResponse(request: ClientRequest, fail: (error: Error) => void): void {
  let hasEnded = false;
  const end = (error: Error) => {
    if (!hasEnded) fail(error);
    hasEnded = true;
  };
  request.once('response', () => {
    hasEnded = true;
  });
  request.on('error', end);
  request.once('close', () => end(new Error('the server closed the connection without a response')));
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      throw new RequestRefused(`The response has more than ${maxBytes} bytes`, 'too-large');
    }
    chunks.push(chunk);
  }
  // NUL characters are removed, because PostgreSQL cannot store them in a text.
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '');
}

function resultOf(response: IncomingMessage, content: string): HttpResult {
  const headers: Record<string, string> = Object.create(null);
  const { rawHeaders } = response;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return {
    status: response.statusCode ?? null,
    contentType: response.headers['content-type'] ?? null,
    headers,
    content,
    timedOut: false,
    error: null,
  };
}
