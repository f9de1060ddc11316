import { ERROR_HEADER, runtimeFiles, URL_HEADER } from '../../../contract/function-runtime.ts';

/** The parts of Deno's API that the runtime uses (https://docs.deno.com/api/deno/). */
export interface DenoApi {
  readonly env: { set(name: string, value: string): void };
  readonly stdin: { readonly readable: AsyncIterable<Uint8Array> };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  readTextFile(path: string): Promise<string>;
  inspect(value: unknown, options: object): string;
  serve(options: object, handler: (request: Request) => Promise<Response>): unknown;
  addSignalListener(signal: string, listener: () => void): void;
  exit(code: number): never;
  connect(options: object): Promise<DenoConnection>;
  upgradeWebSocket(request: Request, options?: object): { socket: WebSocket; response: Response };
  createHttpClient(options: object): object;
}

type RequestInput = string | URL | Request;

interface DenoConnection {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/**
 * The only host that the permissions of the process name. No connection to it is possible, because it is the broadcast address: the socket
 * leads to the node. A name would be looked up, and an environment variable can add a domain to names.
 */
const NODE = '255.255.255.255';
const MAX_REDIRECTS = 20;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses after which a POST is repeated as GET (Fetch standard, "HTTP-redirect fetch"). */
const MOVED = 302;
const SEE_OTHER = 303;

/** Returns `fetch` and `WebSocket` that lead requests through the node, which decides about their addresses. */
export function fetchOf(deno: DenoApi, folder: string): { fetch: typeof fetch; WebSocket: typeof WebSocket } {
  const client = deno.createHttpClient({ proxy: { transport: 'unix', path: `${folder}/${runtimeFiles.http}` } });
  const nativeFetch = globalThis.fetch;
  const NativeSocket = globalThis.WebSocket;

  const fetchThroughNode = async (input: RequestInput, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (!/^https?:/.test(request.url)) return nativeFetch(input, init);
    let [url, { method }] = [request.url, request];
    const headers = new Headers(request.headers);
    let body = await bodyOf(request, input, init);
    for (let count = 0; ; count++) {
      headers.set(URL_HEADER, url);
      const options = { method, headers, body, client, redirect: 'manual', signal: request.signal, duplex: 'half' };
      const response = await nativeFetch(`http://${NODE}/`, options as unknown as RequestInit);
      const refusal = response.headers.get(ERROR_HEADER);
      if (refusal !== null) {
        await response.body?.cancel();
        throw new TypeError(`error sending request for url (${url}): ${decodeURIComponent(refusal)}`);
      }
      const location = redirects.has(response.status) ? response.headers.get('location') : null;
      if (location === null || request.redirect === 'manual') return shownAs(response, url, count > 0);
      await response.body?.cancel();
      if (request.redirect === 'error') throw new TypeError(`Fetch of ${url} was redirected.`);
      if (count === MAX_REDIRECTS) throw new TypeError(`Fetch of ${request.url} has too many redirects.`);
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin) for (const name of ['authorization', 'cookie']) headers.delete(name);
      const becomesGet =
        response.status === SEE_OTHER ? method !== 'HEAD' : response.status <= MOVED && method === 'POST';
      if (becomesGet) {
        method = 'GET';
        body = null;
        for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
      } else if (body instanceof ReadableStream) throw new TypeError('A stream cannot be sent twice.');
      url = next.href;
    }
  };

  class SocketThroughNode extends NativeSocket {
    constructor(
      url: string | URL,
      second?: string | string[] | { protocols?: string | string[]; headers?: Record<string, string> },
    ) {
      const target = new URL(url);
      target.protocol = target.protocol.replace(/^http/, 'ws');
      const given = typeof second === 'object' && !Array.isArray(second) ? second : { protocols: second ?? [] };
      super(`ws://${NODE}/`, {
        ...given,
        headers: { ...given.headers, [URL_HEADER]: target.href },
        client,
      } as unknown as string[]);
      Object.defineProperty(this, 'url', { value: target.href });
    }
  }
  return { fetch: fetchThroughNode, WebSocket: SocketThroughNode as typeof WebSocket };
}

/** Returns the body; as bytes if it is not a stream, so that the request has a length. */
async function bodyOf(
  request: Request,
  input: RequestInput,
  init: RequestInit | undefined,
): Promise<ArrayBuffer | ReadableStream | null> {
  if (request.body === null) return null;
  const given = init?.body ?? (input instanceof Request ? input.body : null);
  return given instanceof ReadableStream ? request.body : request.arrayBuffer();
}

/** Gives a response the address that the function asked for. */
function shownAs(response: Response, url: string, redirected: boolean): Response {
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  return response;
}

interface ConnectOptions {
  readonly transport?: string;
  readonly hostname?: string;
  readonly port: number;
}

/** Identifies a connection for the node, so that `Deno.startTls` can name it. */
const connectionId = Symbol('id');

/** Returns `Deno.connect`, `Deno.connectTls` and `Deno.startTls` through the node. For TLS, the node checks the certificate. */
export function connectionsOf(deno: DenoApi, folder: string) {
  const open = async (line: string, { hostname = '127.0.0.1', port }: ConnectOptions, tls: boolean) => {
    const connection = await deno.connect({ transport: 'unix', path: `${folder}/${runtimeFiles.tcp}` });
    await connection.write(new TextEncoder().encode(line));
    const remoteAddr = { transport: 'tcp', hostname, port };
    Object.defineProperties(connection, {
      remoteAddr: { value: remoteAddr },
      localAddr: { value: { transport: 'tcp', hostname: '127.0.0.1', port: 0 } },
      setNoDelay: { value: () => undefined },
      setKeepAlive: { value: () => undefined },
      ...(tls && { handshake: { value: async () => ({ alpnProtocol: null }) } }),
    });
    return connection;
  };
  return {
    connect: async (options: ConnectOptions) => {
      if (options.transport === 'unix') return deno.connect(options);
      const id = crypto.randomUUID();
      const connection = await open(connectLine(options, ` ${id}`), options, false);
      return Object.defineProperty(connection, connectionId, { value: id });
    },
    connectTls: (options: ConnectOptions) => open(connectLine(options, ' tls'), options, true),
    startTls: async (
      plain: DenoConnection & { [connectionId]?: string; remoteAddr?: ConnectOptions },
      options?: { hostname?: string },
    ) => {
      const { [connectionId]: id, remoteAddr } = plain;
      if (id === undefined || remoteAddr === undefined)
        throw new TypeError('Deno.startTls needs a connection of Deno.connect.');
      const hostname = options?.hostname ?? remoteAddr.hostname ?? '127.0.0.1';
      const connection = await open(`STARTTLS ${id} ${hostname}\n`, { ...remoteAddr, hostname }, true);
      // The node ends the plain connection as soon as the other one continues it. Closed before, it would end the far side too.
      await plain.read(new Uint8Array(1)).catch(() => null);
      plain.close();
      return connection;
    },
  };
}

const connectLine = ({ hostname = '127.0.0.1', port }: ConnectOptions, rest = ''): string =>
  `CONNECT ${hostname} ${port}${rest}\n`;

/** The parts of `node:net` that are replaced. */
export interface NetModule {
  readonly Socket: {
    readonly prototype: { connect: (...given: unknown[]) => unknown; write: (data: string) => boolean };
  };
}

/** Makes sockets of Node.js modules connect through the node. */
export function socketOf({ Socket }: NetModule, folder: string): void {
  const marked = Symbol.for('ninefold.connect');
  const prototype = Socket.prototype as NetModule['Socket']['prototype'] & { [marked]?: true };
  if (prototype[marked]) return;
  prototype[marked] = true;
  const native = prototype.connect;
  prototype.connect = function connect(this: typeof prototype, ...given: unknown[]) {
    // Node.js passes normalised arguments to itself as one array.
    const list = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
    const [first, second] = list;
    const callback = list.find((each) => typeof each === 'function');
    const options =
      typeof first === 'object' && first !== null
        ? (first as { path?: string; host?: string; port?: number | string })
        : null;
    if (options?.path !== undefined && options.port === undefined) return native.apply(this, given);
    const port = Number(options === null ? first : options.port);
    const host = options === null ? (typeof second === 'string' ? second : undefined) : options.host;
    const result = native.call(this, { path: `${folder}/${runtimeFiles.tcp}` }, ...(callback ? [callback] : []));
    this.write(connectLine({ hostname: host ?? 'localhost', port }));
    return result;
  };
}
