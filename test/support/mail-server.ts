import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly parsed: ParsedMail;
}

/** A mail server on the loopback address. A test may replace its functions while it runs. */
export interface TestMailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Number of connections that clients have opened so far. */
  connections: number;
  /** Decides whether a recipient is refused. Returns the SMTP response of the refusal, such as `450 4.7.1 Try later`, or null. */
  refuse: (recipient: string) => string | null;
  /** The password that a client must present as the user `app`. Null accepts every client. */
  password: string | null;
  /** Runs before the server accepts a mail. */
  beforeAccept: () => Promise<void>;
  close(): Promise<void>;
}

const failure = (response: string): Error =>
  Object.assign(new Error(response.slice(4)), { responseCode: Number(response.slice(0, 3)) });

/**
 * Starts a mail server that stores the mails which it accepts.
 * @param tls Certificate and key for STARTTLS. By default it has those of its library, which nobody trusts.
 */
export async function startMailServer(tls: { cert?: string; key?: string } = {}): Promise<TestMailServer> {
  const test = {
    ...{ mails: [] as ReceivedMail[], connections: 0, password: null as string | null },
    refuse: (_: string): string | null => null,
    beforeAccept: async () => undefined,
  };
  const server = new SMTPServer({
    ...tls,
    authOptional: true,
    allowInsecureAuth: true,
    onConnect: (_, done) => {
      mail.connections++;
      done();
    },
    onAuth: ({ username, password }, _, done) => {
      const isRight = mail.password === null || (username === 'app' && password === mail.password);
      done(isRight ? null : failure(`535 5.7.8 Wrong password ${password}`), isRight ? { user: username } : undefined);
    },
    onRcptTo: ({ address }, _, done) => {
      const refusal = mail.refuse(address);
      done(refusal === null ? null : failure(refusal));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        await mail.beforeAccept();
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mail.mails.push({ to, parsed: await simpleParser(Buffer.concat(chunks)) });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const mail: TestMailServer = Object.assign(test, {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
  return mail;
}
