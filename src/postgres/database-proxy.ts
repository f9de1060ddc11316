import { connect, createServer, type Server, type Socket } from 'node:net';
import { LoginPace, type LoginRates } from './login-rates.ts';
import { AuthenticationReader, errorResponse, readFirstMessage } from './startup-message.ts';
import { ProtocolError, RefusalReader, StatementGuard } from './statement-guard.ts';

/** Options of the proxy. */
export interface ProxyOptions {
  readonly port: number;
  /** Path of PostgreSQL's Unix socket. */
  readonly socketPath: string;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Maximum number of unauthenticated connections: of all roles together, and of one role. */
  readonly maxUnauthenticated: number;
  readonly maxUnauthenticatedOfRole: number;
  /** Time until a client must be authenticated, in milliseconds. */
  readonly loginMilliseconds: number;
  readonly rates: LoginRates;
}

/** A client that has sent its first message. */
interface Login {
  readonly socket: Socket;
  readonly role: string;
  /** All bytes that the client has sent. */
  readonly received: Buffer;
  /** Ends the connection unless the client is authenticated in time. */
  readonly timer: NodeJS.Timeout;
}

const TOO_MANY_CONNECTIONS = '53300';

/**
 * Accepts the TCP connections of PostgreSQL and connects them to its Unix socket, which Ninefold's own connections use
 * directly. PostgreSQL starts a process for every connection before it knows the role, and each unauthenticated one
 * takes a place among `max_connections`. The proxy limits the rate of logins and the number of unauthenticated
 * connections, so that no client can take these places or the processor from requests. It also refuses statements that
 * PostgreSQL would read for minutes without an end.
 */
export class DatabaseProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Number of connections to PostgreSQL that are not authenticated, by role. */
  readonly #unauthenticated = new Map<string, number>();
  readonly #pace: LoginPace;
  /**
   * Logins that have passed the limits of the login rate. They wait until another connection is authenticated. The
   * login that has waited longest is first.
   */
  #waiting: Login[] = [];

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#pace = new LoginPace(options.rates);
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, (socket) =>
      this.#accept(socket),
    );
  }

  /**
   * Listens on the port of this machine.
   * @throws Error with `code` EADDRINUSE if another program uses the port.
   */
  static async listen(options: ProxyOptions): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen({ host: '127.0.0.1', port: options.port, exclusive: true }, resolve);
    });
    // Accepting a connection fails while the process has no free file descriptor. The proxy then continues to listen.
    proxy.#server.on('error', () => undefined);
    return proxy;
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.#sockets.size >= this.#options.maxConnections) {
      refuse(socket, 'sorry, too many clients already');
      return;
    }
    this.#sockets.add(socket);
    const timer = setTimeout(() => this.#giveUp(socket), this.#options.loginMilliseconds);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      clearTimeout(timer);
    });
    let received = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const message = readFirstMessage(received);
      if (message === null) return;
      if (message?.kind === 'encryption') {
        // A client waits for this byte before it sends its next message, so no bytes of that message have arrived yet.
        received = Buffer.alloc(0);
        socket.write('N');
        return;
      }
      socket.off('data', read);
      socket.pause();
      if (message) this.#waitForTurn({ socket, role: message.role, received, timer });
      else socket.destroy();
    };
    socket.on('data', read);
  }

  #waitForTurn(login: Login): void {
    const wait = this.#pace.take(login.role, performance.now());
    if (wait === null) {
      refuse(login.socket, 'too many logins: keep connections open, for example with a pool');
      return;
    }
    const begin = () => {
      login.timer.refresh();
      this.#waiting.push(login);
      this.#connectWaiting();
    };
    if (wait === 0) begin();
    else setTimeout(begin, wait);
  }

  /**
   * Connects the waiting logins to PostgreSQL as far as the limits allow, beginning with the login that has waited
   * longest.
   */
  #connectWaiting(): void {
    this.#waiting = this.#waiting.filter((login) => {
      if (login.socket.destroyed) return false;
      if (!this.#hasPlace(login.role)) return true;
      this.#connect(login);
      return false;
    });
  }

  #hasPlace(role: string): boolean {
    const { maxUnauthenticated, maxUnauthenticatedOfRole } = this.#options;
    const all = [...this.#unauthenticated.values()].reduce((sum, count) => sum + count, 0);
    return all < maxUnauthenticated && (this.#unauthenticated.get(role) ?? 0) < maxUnauthenticatedOfRole;
  }

  /** Ends a connection whose login takes too long. */
  #giveUp(socket: Socket): void {
    const isWaiting = this.#waiting.some((login) => login.socket === socket);
    if (isWaiting) refuse(socket, 'too many connections that have not logged in yet');
    else socket.destroy();
  }

  #connect({ socket, role, received, timer }: Login): void {
    this.#unauthenticated.set(role, (this.#unauthenticated.get(role) ?? 0) + 1);
    timer.refresh();
    const upstream = connect(this.#options.socketPath);
    let isCounted = true;
    const uncount = () => {
      if (!isCounted) return;
      isCounted = false;
      const left = (this.#unauthenticated.get(role) ?? 1) - 1;
      if (left > 0) this.#unauthenticated.set(role, left);
      else this.#unauthenticated.delete(role);
      this.#connectWaiting();
    };
    const authentication = new AuthenticationReader();
    const watch = (chunk: Buffer) => {
      if (!authentication.push(chunk)) return;
      upstream.off('data', watch);
      clearTimeout(timer);
      uncount();
    };
    upstream.on('data', watch);
    upstream.on('error', () => undefined);
    upstream.once('close', () => {
      uncount();
      socket.end();
      // If a client does not read its last bytes, the connection is closed after this time.
      socket.setTimeout(this.#options.loginMilliseconds, () => socket.destroy());
    });
    socket.once('close', () => upstream.destroy());
    const refusals = new RefusalReader();
    const statements = new StatementGuard(() => refusals.expect());
    const startupBytes = received.readUInt32BE(0);
    upstream.write(received.subarray(0, startupBytes));
    const toServer = relay(socket, upstream, (chunk) => statements.filter(chunk));
    if (received.length > startupBytes) toServer(received.subarray(startupBytes));
    relay(upstream, socket, (chunk) => refusals.filter(chunk));
    socket.resume();
  }
}

/**
 * Forwards the filtered bytes of one socket to another at the speed of the other. A socket whose bytes are no messages is
 * destroyed. Returns the function that forwards.
 */
function relay(from: Socket, to: Socket, filter: (chunk: Buffer) => Buffer): (chunk: Buffer) => void {
  const forward = (chunk: Buffer) => {
    try {
      if (!to.write(filter(chunk))) from.pause();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      from.destroy();
    }
  };
  from.on('data', forward);
  from.on('end', () => to.end());
  to.on('drain', () => from.resume());
  return forward;
}

function refuse(socket: Socket, message: string): void {
  socket.end(errorResponse('FATAL', TOO_MANY_CONNECTIONS, message));
  socket.destroySoon();
}
