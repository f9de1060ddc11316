import { chmod } from 'node:fs/promises';
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import {
  connect,
  createServer as createNetServer,
  isIP,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { ERROR_HEADER, runtimeFiles, URL_HEADER } from '../../../contract/function-runtime.ts';
import { limits } from '../../../contract/limits.ts';
import { type AddressPolicy, MAIL_PORTS, namesClient } from '../../jobs/public-address.ts';
import { resolveHost } from '../../jobs/resolve-host.ts';
import { connectionHeaders, onNoResponse } from '../../jobs/send-request.ts';
import { joinSockets } from '../join-sockets.ts';

/** How long the lookup of a name and a connection may take. */
const LOOKUP_MILLISECONDS = 10_000;
const CONNECT_MILLISECONDS = 30_000;

/** An address of this machine. */
export interface LocalAddress {
  readonly host: string;
  readonly port: number;
}

/** Addresses that the functions of one app may reach besides public ones: the API of the app, and its database. */
export interface AppAddresses {
  /** URLs of the app's API without a trailing slash. Requests to them stay on this machine. */
  readonly urls: readonly string[];
  /** Where this node serves HTTP. */
  readonly node: LocalAddress;
  /** The address of the database as `SUPABASE_DB_URL` has it; null without one. */
  readonly database: LocalAddress | null;
}

/** A connection to the outside without TLS. */
interface PlainConnection {
  readonly far: Socket;
  /** The socket of the function. */
  readonly near: Socket;
  /** Ends the passing of bytes between it and the function. */
  readonly separate: () => void;
}

/** Headers that do not pass: those of one connection, and those of the runtime itself. */
const ownHeaders: ReadonlySet<string> = new Set([...connectionHeaders, 'host', URL_HEADER, ERROR_HEADER]);

/** Characters of the first line of a connection. */
const LINE_CHARACTERS = 300;
const WEB_PORTS = [80, 443] as const;
const SOCKET_MODE = 0o666;

/**
 * The two sockets through which the functions of one app reach anything: HTTP requests, and other connections. The process of the functions
 * has no other network. Each address is checked as those of HTTP requests from SQL.
 */
export class AppSockets {
  readonly #addresses: AppAddresses;
  readonly #policy: AddressPolicy;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Connections that can continue with TLS, by the ids that the function has given them. */
  readonly #plain = new Map<string, PlainConnection>();

  constructor(addresses: AppAddresses, policy: AddressPolicy) {
    this.#addresses = addresses;
    this.#policy = policy;
    const options = { keepAlive: true, maxTotalSockets: limits.functionConnections.default };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  /** Listens in the folder of a runtime. */
  async listen(folder: string): Promise<void> {
    const http = createServer((request, response) => void this.#answer(request, response));
    http.on(
      'upgrade',
      (request: IncomingMessage, socket: Socket, head: Buffer) => void this.#upgrade(request, socket, head),
    );
    const tcp = createNetServer((socket) => this.#relay(socket));
    for (const [server, name] of [
      [http, runtimeFiles.http],
      [tcp, runtimeFiles.tcp],
    ] as const) {
      server.maxConnections = limits.functionConnections.default;
      server.on('connection', (socket: Socket) => {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => this.#sockets.delete(socket));
      });
      const path = join(folder, name);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
      // Only the functions can enter the folder.
      await chmod(path, SOCKET_MODE);
      this.#servers.push(server);
    }
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#http.destroy();
    this.#https.destroy();
  }

  /** Sends a request of a function and passes the response back. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // Node.js frames no body of DELETE and OPTIONS by itself: the other side would read its bytes as a request.
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      const outgoing = this.#open(
        request,
        (received) => {
          const { statusCode = 502, statusMessage } = received;
          try {
            response.writeHead(statusCode, statusMessage, passedHeaders(received.rawHeaders));
          } catch (error) {
            // Node.js reads some responses that it cannot write.
            received.destroy();
            refuse(response, (error as Error).message);
            return;
          }
          pipeline(received, response, () => undefined);
        },
        isChunked ? { 'transfer-encoding': 'chunked' } : {},
      );
      onNoResponse(outgoing, (error) => refuse(response, error.message));
      response.once('close', () => outgoing.destroy());
      pipeline(request, outgoing, () => undefined);
    } catch (error) {
      refuse(response, (error as Error).message);
    }
  }

  /** Opens a WebSocket of a function. */
  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    try {
      const { upgrade = 'websocket' } = request.headers;
      const outgoing = this.#open(
        request,
        (received) => {
          socket.end(`HTTP/1.1 ${received.statusCode} ${received.statusMessage}\r\nconnection: close\r\n\r\n`);
          received.destroy();
        },
        { connection: 'Upgrade', upgrade, 'content-length': undefined },
      );
      outgoing.on('upgrade', (received: IncomingMessage, far: Socket, farHead: Buffer) => {
        const lines = received.rawHeaders.flatMap((name, i, all) =>
          i % 2 === 0 ? [`${name}: ${all[i + 1]}\r\n`] : [],
        );
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
        if (farHead.length > 0) socket.write(farHead);
        if (head.length > 0) far.write(head);
        joinSockets(socket, far);
      });
      outgoing.on('error', () => socket.destroy());
      outgoing.end();
    } catch {
      socket.destroy();
    }
  }

  #open(request: IncomingMessage, onResponse: (response: IncomingMessage) => void, extra: OutgoingHttpHeaders = {}) {
    const url = new URL(String(request.headers[URL_HEADER] ?? '').replace(/^ws/, 'http'));
    const isTls = url.protocol === 'https:';
    if (!isTls && url.protocol !== 'http:') throw new Error('only http and https are possible');
    const headers: OutgoingHttpHeaders = { ...passedHeaders(request.rawHeaders), host: url.host, ...extra };
    if (headers['content-length'] === undefined) delete headers['content-length'];
    const { method } = request;
    const path = `${url.pathname}${url.search}`;
    const { urls, node } = this.#addresses;
    if (urls.some((each) => url.href === each || url.href.startsWith(`${each}/`))) {
      // The node serves plain HTTP, also behind a proxy with TLS. It may trust this machine as a proxy, so a function must not name clients.
      for (const name of Object.keys(headers)) if (namesClient(name)) delete headers[name];
      return requestHttp({ ...node, method, path, headers, agent: this.#http, setHost: false }, onResponse);
    }
    const port = url.port === '' ? (isTls ? WEB_PORTS[1] : WEB_PORTS[0]) : Number(url.port);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !this.#policy.allows(host, port)) throw new Error(notPublic(url.host));
    const auth =
      url.username === '' ? undefined : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    const options = {
      ...{ host, port, method, path, headers, auth, setHost: false, lookup: this.#lookup(port, WEB_PORTS) },
      maxHeaderSize: limits.httpHeaderBytes.default,
    };
    return isTls
      ? requestHttps({ ...options, agent: this.#https, ...serverNameOf(host) }, onResponse)
      : requestHttp({ ...options, agent: this.#http }, onResponse);
  }

  /** Returns a lookup function that finds only addresses that the policy allows. */
  #lookup(port: number, lowPorts: readonly number[]): LookupFunction {
    return (host, options, callback) => {
      resolveHost(host, AbortSignal.timeout(LOOKUP_MILLISECONDS)).then(
        (found) => {
          const allowed = found.filter((address) => this.#policy.allows(address, port, lowPorts));
          const [first] = allowed;
          if (first === undefined) {
            const reason = found.length === 0 ? `the host ${host} is not known` : notPublic(host);
            callback(new Error(reason), options.all ? [] : '');
          } else if (options.all)
            callback(
              null,
              allowed.map((address) => ({ address, family: isIP(address) })),
            );
          else callback(null, first, isIP(first));
        },
        (error: Error) => callback(error, options.all ? [] : ''),
      );
    };
  }

  /** Connects a socket by its first line: `CONNECT host port`, then ` tls` or an id, or `STARTTLS id host`. */
  #relay(socket: Socket): void {
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\n');
      if (end < 0) {
        if (received.length > LINE_CHARACTERS) socket.destroy();
        return;
      }
      socket.off('data', onData);
      socket.pause();
      const line = received.subarray(0, end).toString('latin1');
      const rest = received.subarray(end + 1);
      const [, host, port, option] = /^CONNECT (\S+) (\d{1,5})(?: (\S+))?$/.exec(line) ?? [];
      const [, id, name] = /^STARTTLS (\S+) (\S+)$/.exec(line) ?? [];
      if (host !== undefined) this.#connect(socket, { host, port: Number(port) }, option ?? null, rest);
      else if (id !== undefined && name !== undefined) this.#startTls(socket, id, name, rest);
      else socket.destroy();
    };
    socket.on('data', onData);
  }

  /** @param option `tls`, or the id with which the function may continue with TLS; null for a connection that stays plain. */
  #connect(socket: Socket, { host: name, port }: LocalAddress, option: string | null, first: Buffer): void {
    const host = name.replace(/^\[|\]$/g, '');
    const { database } = this.#addresses;
    const isDatabase = database !== null && database.port === port && database.host === host;
    const lowPorts = [...WEB_PORTS, ...MAIL_PORTS];
    if (!isDatabase && isIP(host) !== 0 && !this.#policy.allows(host, port, lowPorts)) {
      socket.destroy();
      return;
    }
    const isTls = option === 'tls';
    const options = { host, port, ...(!isDatabase && { lookup: this.#lookup(port, lowPorts) }) };
    const far = isTls ? connectTls({ ...options, ...serverNameOf(host) }) : connect(options);
    far.once(isTls ? 'secureConnect' : 'connect', () => far.setTimeout(0));
    const separate = this.#join(socket, far, first);
    if (option === null || isTls) return;
    this.#plain.set(option, { far, near: socket, separate });
    far.once('close', () => this.#plain.delete(option));
  }

  /** Continues a connection with TLS (RFC 3207, section 4, for SMTP), for another socket of the function. */
  #startTls(socket: Socket, id: string, name: string, first: Buffer): void {
    const plain = this.#plain.get(id);
    if (plain === undefined || plain.far.connecting) {
      socket.destroy();
      return;
    }
    this.#plain.delete(id);
    plain.separate();
    // The function waits for this end, and closes its side only then.
    plain.near.destroy();
    // The name is not looked up, because the connection exists. The certificate must be valid for it.
    const far = connectTls({ socket: plain.far, host: name, ...serverNameOf(name) });
    far.once('secureConnect', () => far.setTimeout(0));
    this.#join(socket, far, first);
  }

  /** Passes the bytes of two sockets to each other. Returns a function that ends this and leaves both open. */
  #join(near: Socket, far: Socket, first: Buffer): () => void {
    this.#sockets.add(far);
    far.setTimeout(CONNECT_MILLISECONDS, () => far.destroy());
    far.once('close', () => this.#sockets.delete(far));
    far.write(first);
    return joinSockets(near, far);
  }
}

/** Returns the name for which a certificate must be valid; an address has none (RFC 6066, section 3). */
const serverNameOf = (host: string): { servername?: string } => (isIP(host) === 0 ? { servername: host } : {});

const notPublic = (host: string): string => `${host} has no public address that functions may reach`;

function refuse(response: ServerResponse, reason: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502, { [ERROR_HEADER]: encodeURIComponent(reason) }).end();
}

/** Returns the headers that pass from one side to the other. Repeated headers stay repeated. */
function passedHeaders(raw: readonly string[]): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = Object.create(null);
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    if (ownHeaders.has(name)) continue;
    const known = headers[name] as string | string[] | undefined;
    headers[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return headers;
}
