import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startMailServer, type TestMailServer } from '../../test/support/mail-server.ts';
import { composeMail } from './mail-message.ts';
import type { MailServer } from './mail-server.ts';
import { AddressPolicy } from './public-address.ts';
import { SmtpError, SmtpSession } from './smtp-session.ts';

const loopback = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port: null }]);
const never = new AbortController().signal;
const rendered = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello', language: 'en' };

const serverAt = (port: number, rest: Partial<MailServer> = {}): MailServer => ({
  ...{ host: '127.0.0.1', port, user: null, password: '', senderAddress: 'app@example.com', senderName: 'Desk' },
  clientName: 'desk.example.com',
  ...rest,
});

async function failureOf(work: Promise<unknown>): Promise<SmtpError> {
  const error = await work.then(
    () => null,
    (failed: unknown) => failed,
  );
  if (!(error instanceof SmtpError)) throw error ?? new Error('it did not fail');
  return error;
}

describe('SmtpSession', () => {
  let mail: TestMailServer;
  beforeEach(async () => {
    mail = await startMailServer();
  });
  afterEach(() => mail.close());

  it('sends several mails over one connection, each with an HTML part and a text part', async () => {
    const session = await SmtpSession.open(serverAt(mail.port), loopback, never);
    for (const id of ['one', 'two']) {
      const message = await composeMail(serverAt(mail.port), id, 'ada@example.org', rendered);
      expect(await session.send(message, never)).toMatch(/^250/);
    }
    session.close();
    expect(mail.connections).toBe(1);
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.org'], ['ada@example.org']]);
    expect(mail.mails[0]?.parsed).toMatchObject({
      subject: 'Hello',
      html: '<p>Hello</p>',
      text: 'Hello',
      messageId: '<one@example.com>',
    });
    expect(mail.mails[0]?.parsed.from?.text).toBe('"Desk" <app@example.com>');
  });

  it('sends to exactly one recipient, whatever the address contains', async () => {
    const session = await SmtpSession.open(serverAt(mail.port), loopback, never);
    for (const recipient of [
      'a@example.org, b@example.org',
      'a@example.org\r\nRCPT TO:<b@example.org>',
      'Bob <b@example.org>',
    ]) {
      const sent = composeMail(serverAt(mail.port), 'id', recipient, rendered).then((message) =>
        session.send(message, never),
      );
      expect((await failureOf(sent)).isPermanent).toBe(true);
    }
    session.close();
    expect(mail.mails.flatMap(({ to }) => to)).not.toContain('b@example.org');
  });

  it('adds no header for a line break in a subject or a name', async () => {
    const server = serverAt(mail.port, { senderName: 'Desk\r\nBcc: b@example.org' });
    const message = await composeMail(server, 'id', 'a@example.org', {
      ...rendered,
      subject: 'x\r\nBcc: b@example.org',
    });
    const session = await SmtpSession.open(server, loopback, never);
    await session.send(message, never);
    session.close();
    expect(mail.mails[0]?.to).toEqual(['a@example.org']);
    expect(mail.mails[0]?.parsed.bcc).toBeUndefined();
  });

  it.each<[string, string, boolean]>([
    ['a refusal for now', '450 4.7.1 Try again later', false],
    ['a refusal for good', '550 5.1.1 No such user', true],
  ])('reports %s and continues the session', async (_, response, isPermanent) => {
    mail.refuse = (recipient) => (recipient === 'no@example.org' ? response : null);
    const session = await SmtpSession.open(serverAt(mail.port), loopback, never);
    const refused = await composeMail(serverAt(mail.port), 'id', 'no@example.org', rendered);
    const error = await failureOf(session.send(refused, never));
    expect(error).toMatchObject({ isPermanent, endsSession: false });
    expect(error.message).toContain(response);
    const taken = await composeMail(serverAt(mail.port), 'id', 'yes@example.org', rendered);
    expect(await session.send(taken, never)).toMatch(/^250/);
    session.close();
  });

  it('signs in, and removes the password from error messages of the server', async () => {
    mail.password = 'right-password';
    const right = serverAt(mail.port, { user: 'app', password: 'right-password' });
    (await SmtpSession.open(right, loopback, never)).close();
    const error = await failureOf(SmtpSession.open({ ...right, password: 'wrong-password' }, loopback, never));
    expect(error.message).toMatch(/^The server refused the sign-in.*535/);
    expect(error.message).not.toContain('wrong-password');
    expect(error).toMatchObject({ isPermanent: false, endsSession: true });
  });

  it('connects only to addresses that the policy allows', async () => {
    const error = await failureOf(SmtpSession.open(serverAt(mail.port), new AddressPolicy([]), never));
    expect(error.message).toMatch(/is no public address/);
    expect(mail.connections).toBe(0);
  });
});

describe('SmtpSession with a server that fails', () => {
  let server: Server;
  let port: number;
  const sockets = new Set<Socket>();

  /**
   * Responds to each line with the reply of the first rule that matches. The reply null sends nothing, and an empty
   * reply closes the connection.
   */
  async function start(greeting: string | null, rules: [RegExp, string | null][]): Promise<void> {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      const answer = (text: string | null | undefined) => {
        if (text === '') socket.destroy();
        else if (text) socket.write(`${text}\r\n`);
      };
      answer(greeting);
      socket.on('data', (data: Buffer) => answer(rules.find(([rule]) => rule.test(data.toString()))?.[1]));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    return new Promise((resolve) => server.close(resolve));
  });

  const talk: [RegExp, string | null][] = [
    [/^EHLO/, '250 here'],
    [/^MAIL/, '250 ok'],
    [/^RCPT/, '250 ok'],
  ];
  const sent = async (signal: AbortSignal) => {
    const session = await SmtpSession.open(serverAt(port), loopback, signal);
    return session.send(await composeMail(serverAt(port), 'id', 'a@example.org', rendered), signal);
  };

  it.each<[string, string | null, [RegExp, string | null][]]>([
    ['never greets', null, []],
    ['never answers the greeting', '220 here', []],
    ['never takes the mail', '220 here', [...talk, [/^DATA/, '354 go'], [/\r\n\.\r\n$/, null]]],
  ])('fails the attempt if the server %s', async (_, greeting, rules) => {
    await start(greeting, rules);
    const error = await failureOf(sent(AbortSignal.timeout(300)));
    expect(error.message).toMatch(/no answer within/);
    expect(error).toMatchObject({ isPermanent: false, endsSession: true });
  });

  it.each<[string, [RegExp, string | null][]]>([
    ['after the greeting', [[/^EHLO/, '']]],
    [
      'after the sender',
      [
        [/^EHLO/, '250 here'],
        [/^MAIL/, ''],
      ],
    ],
    ['within the mail', [...talk, [/^DATA/, '']]],
    [
      'with the response 421',
      [
        [/^EHLO/, '250 here'],
        [/^MAIL/, '421 4.3.2 Closing'],
      ],
    ],
  ])('allows a retry if the connection is lost %s', async (_, rules) => {
    await start('220 here', rules);
    expect(await failureOf(sent(never))).toMatchObject({ isPermanent: false, endsSession: true });
  });

  it('rejects a response of the server that does not end', async () => {
    await start(`220-${'x'.repeat(4_000_000)}`, []);
    expect(await failureOf(sent(AbortSignal.timeout(5000)))).toMatchObject({ endsSession: true });
  });
});
