import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { AddressPolicy, isPublicAddress } from './public-address.ts';
import { sendRequest } from './send-request.ts';

describe('isPublicAddress', () => {
  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '100.127.255.255',
      '100.100.100.200',
      '168.63.129.16',
      '224.0.0.1',
      '239.1.1.1',
    ],
    ...[
      '255.255.255.255',
      '240.0.0.1',
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '192.88.99.1',
    ],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
    ],
    ...['2002:7f00:1::', '2002:808:808::', '2001::1', '2001:db8::1', 'fe80::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254'],
    ...['ff02::1', '3fff::1', '5f00::1', '100::1', 'not an address', ''],
  ])('rejects %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '192.0.1.1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('AddressPolicy', () => {
  const policy = new AddressPolicy([
    { address: '10.1.0.0', bits: 16, port: null },
    { address: '127.0.0.1', bits: 32, port: 8080 },
    { address: 'fd00::', bits: 8, port: null },
  ]);

  it.each<[string, number, boolean]>([
    ['10.1.2.3', 22, true],
    ['10.2.0.1', 80, false],
    ['127.0.0.1', 8080, true],
    ['127.0.0.1', 8081, false],
    ['::ffff:127.0.0.1', 8080, false],
    ['fd12::1', 5432, true],
    ['8.8.8.8', 443, true],
    ['8.8.8.8', 8443, true],
    ['8.8.8.8', 25, false],
    ['8.8.8.8', 22, false],
  ])('decides whether requests to %s on port %i are allowed: %s', (address, port, isAllowed) => {
    expect(policy.allows(address, port)).toBe(isAllowed);
  });
});

/** Starts a DNS server that responds to each query for an A record with the next address, and counts queries. */
async function startDns(answers: readonly string[]): Promise<{ server: string; socket: Socket; asked: () => number }> {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (query, from) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isA = question.readUInt16BE(question.length - 4) === 1;
    const address = isA ? (answers[Math.min(asked++, answers.length - 1)] ?? '') : null;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0]);
    const record = address
      ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
      : Buffer.alloc(0);
    socket.send(Buffer.concat([header, question, record]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, socket, asked: () => asked };
}

/** A self-signed certificate for self-signed.example, and its key. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4GRD1tfx9oxZr1G6
UzcXObYdm1iV7ob+CprTx8MVXoyhRANCAATKkRVd7KeQsocJg3wGBPazZFzK5vvV
NsYdZ0f8lPQ2NpBlknkr9LZJdxXlWhwaAjOdZp1RHl6o2Lwd2vRW13oM
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBszCCAVmgAwIBAgIUIEzP5g5TGJaaM8I4LL8reZ1249QwCgYIKoZIzj0EAwIw
HjEcMBoGA1UEAwwTc2VsZi1zaWduZWQuZXhhbXBsZTAgFw0yNjExMjMwMDM3NDda
GA8yMTI2MTAzMDAwMzc0N1owHjEcMBoGA1UEAwwTc2VsZi1zaWduZWQuZXhhbXBs
ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMqRFV3sp5CyhwmDfAYE9rNkXMrm
+9U2xh1nR/yU9DY2kGWSeSv0tkl3FeVaHBoCM51mnVEeXqjYvB3a9FbXegyjczBx
MB0GA1UdDgQWBBRvM0TTP7Eh+zWLv/vqDgGT6makbzAfBgNVHSMEGDAWgBRvM0TT
P7Eh+zWLv/vqDgGT6makbzAPBgNVHRMBAf8EBTADAQH/MB4GA1UdEQQXMBWCE3Nl
bGYtc2lnbmVkLmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAwRQIhAOLcVdL1E3xfKrJw
gVqj9FlJNLfIcadAHBTJob5LcBa4AiBWTWiU9G6Jgv9bM8U5yfp/2GUx+6XQilz8
J5EdrFyYDQ==
-----END CERTIFICATE-----
`;

describe('sendRequest', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  const request = (url: string) => ({ method: 'GET', url, headers: null, body: null, timeoutMilliseconds: 5000 });

  it('resolves a name once and connects to the address that was checked', async () => {
    const dns = await startDns(['127.0.0.1', '10.0.0.1']);
    const policy = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port: receiver.port }]);
    const result = await sendRequest(request(`http://rebind.example:${receiver.port}/once`), policy, [dns.server]);
    dns.socket.close();
    expect(result).toMatchObject({ status: 200, content: '{"ok":true}', error: null });
    expect(dns.asked()).toBe(1);
    expect(receiver.requests.at(-1)?.headers.host).toBe(`rebind.example:${receiver.port}`);
  });

  it('rejects a name with an address of this machine', async () => {
    const dns = await startDns(['127.0.0.1']);
    const before = receiver.requests.length;
    const result = await sendRequest(request(`http://local.example:${receiver.port}/`), new AddressPolicy([]), [
      dns.server,
    ]);
    dns.socket.close();
    expect(result.error).toMatch(/^Not sent: local\.example:\d+ is no public address/);
    expect(receiver.requests.length).toBe(before);
  });

  it.each([
    ['signs itself', 'self-signed.example', /self-signed certificate/],
    ['is of another host', 'other.example', /self-signed certificate|does not match/],
  ])('sends nothing to a server whose certificate %s', async (_, host, reason) => {
    let received = 0;
    const server = createServer({ key, cert }, (__, response) => {
      received++;
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const dns = await startDns(['127.0.0.1']);
    const policy = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port }]);
    const result = await sendRequest(request(`https://${host}:${port}/`), policy, [dns.server]);
    dns.socket.close();
    server.close();
    await once(server, 'close');
    expect(result).toMatchObject({
      status: null,
      content: null,
      timedOut: false,
      error: expect.stringMatching(reason),
    });
    expect(received).toBe(0);
  });

  it('ends if the server switches protocols or closes the connection without a response', async () => {
    for (const answer of ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', null]) {
      const server = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => (answer === null ? socket.end() : socket.write(answer)));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const policy = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port }]);
      const result = await sendRequest(request(`http://127.0.0.1:${port}/`), policy);
      expect(result).toMatchObject({
        status: null,
        timedOut: false,
        error: expect.stringMatching(/^Could not send the request: /),
      });
      server.close();
    }
  });
});
