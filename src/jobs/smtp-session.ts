import { isIP } from 'node:net';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { limits } from '../../contract/limits.ts';
import type { MailServer } from './mail-server.ts';
import { type AddressPolicy, isPublicAddress, MAIL_PORTS } from './public-address.ts';
import { resolveHost } from './resolve-host.ts';

/** The port at which TLS starts with the connection. */
const IMPLICIT_TLS_PORT = 465;
/** Status with which a server closes the connection (RFC 5321, section 3.8). */
const CLOSING = 421;
/** The lowest status of a permanent failure. */
const PERMANENT = 500;

/** Error of a mail server that rejected a mail or could not be reached. The message contains no secrets. */
export class SmtpError extends Error {
  override readonly name = 'SmtpError';
  /** True if the server rejected this mail permanently (5xx). */
  readonly isPermanent: boolean;
  /** True if the session can send no further mail. */
  readonly endsSession: boolean;

  constructor(message: string, { isPermanent = false, endsSession = true } = {}) {
    super(message);
    this.isPermanent = isPermanent;
    this.endsSession = endsSession;
  }
}

/** A mail in its transmitted form. */
export interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly message: Buffer;
}

/** Decides which addresses a session may connect to. */
type Allowing = Pick<AddressPolicy, 'allows'>;

/** A connection to a mail server that is ready to send. */
export class SmtpSession {
  readonly #connection: SmtpConnection;
  readonly #secrets: readonly string[];

  private constructor(connection: SmtpConnection, secrets: readonly string[]) {
    this.#connection = connection;
    // An error between two steps of the protocol is ignored here, because the next step reports it.
    connection.on('error', ignore);
    this.#secrets = secrets;
  }

  /**
   * Connects and signs in. The name is resolved once, and only allowed addresses are used. A connection to a public
   * address must be encrypted with a valid certificate. A connection to another address, which the operator has
   * allowed, is encrypted if the server supports that.
   * @throws SmtpError
   */
  static async open(server: MailServer, policy: Allowing, signal: AbortSignal): Promise<SmtpSession> {
    const secrets = secretsOf(server);
    const address = await addressOf(server, policy, signal);
    const isPublic = isPublicAddress(address);
    // As the composer of mails, loaded by the first mail.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const connection = new Connection({
      host: address,
      port: server.port,
      name: server.clientName,
      secure: server.port === IMPLICIT_TLS_PORT,
      requireTLS: isPublic,
      connectionTimeout: limits.mailSendMilliseconds.default,
      greetingTimeout: limits.mailSendMilliseconds.default,
      socketTimeout: limits.mailSendMilliseconds.default,
      ...(isIP(server.host) === 0 && { servername: server.host }),
      tls: { rejectUnauthorized: isPublic, ...(isIP(server.host) === 0 && { servername: server.host }) },
    });
    const session = new SmtpSession(connection, secrets);
    try {
      await session.#until(signal, 'connect', (done) => connection.connect(done));
      if (server.user !== null) {
        const auth = {
          user: server.user,
          pass: server.password,
          credentials: { user: server.user, pass: server.password },
        };
        await session.#until(signal, 'sign in', (done) => connection.login(auth, done));
      }
    } catch (error) {
      connection.close();
      throw error;
    }
    return session;
  }

  get isEncrypted(): boolean {
    return this.#connection.secure;
  }

  /**
   * Sends one mail. Returns the response of the server.
   * @throws SmtpError
   */
  async send({ from, to, message }: Envelope, signal: AbortSignal): Promise<string> {
    let response = '';
    try {
      await this.#until(signal, 'send', (done) =>
        this.#connection.send({ from, to: [to] }, message, (error, info) => {
          response = info?.response ?? '';
          done(error ?? undefined);
        }),
      );
    } catch (error) {
      // After an error, the server accepts the next mail only if RSET was sent.
      if (error instanceof SmtpError && !error.endsSession)
        await this.#until(signal, 'send', (done) => this.#connection.reset(done));
      throw error;
    }
    return this.#clean(response);
  }

  close(): void {
    this.#connection.quit();
  }

  /** Runs one step. The step fails on an error of the connection and when the signal aborts. */
  async #until(
    signal: AbortSignal,
    step: string,
    start: (done: (error?: Error | null) => void) => void,
  ): Promise<void> {
    const connection = this.#connection;
    let settle: (error?: Error | null) => void = () => undefined;
    const onAbort = () => {
      settle(new Error(timedOut(signal)));
      connection.close();
    };
    const onEnd = () => settle(new Error('The server closed the connection'));
    try {
      await new Promise<void>((resolve, reject) => {
        settle = (error) => (error ? reject(error) : resolve());
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort);
        connection.on('error', settle);
        connection.once('end', onEnd);
        start(settle);
      });
    } catch (error) {
      throw this.#explained(error, step);
    } finally {
      signal.removeEventListener('abort', onAbort);
      connection.removeListener('error', settle);
      connection.removeListener('end', onEnd);
    }
  }

  #explained(error: unknown, step: string): SmtpError {
    const { message, responseCode, command, rejectedErrors, code: kind } = error as SmtpFailure;
    const first = rejectedErrors?.[0];
    const code = first?.responseCode ?? responseCode;
    const words = this.#clean(first?.response ?? (error as SmtpFailure).response ?? message);
    const isAnswer = typeof code === 'number';
    const isMalformed = kind === 'EENVELOPE' && !isAnswer;
    const ofMail = step === 'send' && (isMalformed || (isAnswer && code !== CLOSING));
    const at = command === undefined || command === 'CONN' || command === 'API' ? '' : ` (${this.#clean(command)})`;
    return new SmtpError(`${STEPS[step] ?? step}${at}: ${words}`, {
      isPermanent: ofMail && (isMalformed || Number(code) >= PERMANENT),
      endsSession: !ofMail,
    });
  }

  #clean(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '…');
    return clean
      .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
      .trim()
      .slice(0, limits.mailErrorCharacters.default);
  }
}

interface SmtpFailure {
  message: string;
  response?: string;
  responseCode?: number;
  code?: string;
  command?: string;
  rejectedErrors?: { response?: string; responseCode?: number }[];
}

const ignore = (): void => undefined;

const STEPS: Readonly<Record<string, string>> = {
  connect: 'Could not connect',
  'sign in': 'The server refused the sign-in',
  send: 'The server did not take the mail',
};

const timedOut = (signal: AbortSignal): string =>
  signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    ? `no answer within ${limits.mailSendMilliseconds.default / 1000} seconds`
    : 'the node stops';

/** Returns all forms in which the server could repeat the password in a message. */
const secretsOf = ({ user, password }: MailServer): string[] => {
  if (password === '') return [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [password, base64(password), base64(`\0${user ?? ''}\0${password}`)];
};

async function addressOf({ host, port }: MailServer, policy: Allowing, signal: AbortSignal): Promise<string> {
  let found: readonly string[];
  try {
    found = await resolveHost(host, signal);
  } catch {
    throw new SmtpError(`Could not connect: ${timedOut(signal)}`);
  }
  if (found.length === 0) throw new SmtpError(`Could not connect: the name ${host} has no address`);
  const address = found.find((one) => policy.allows(one, port, MAIL_PORTS));
  if (address === undefined) {
    throw new SmtpError(`Could not connect: ${host}:${port} is no public address, or its port is not allowed`);
  }
  return address;
}
