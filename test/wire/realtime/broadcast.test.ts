import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createApp } from '../../support/apps.ts';
import { joined, RawSocket, realtimeClient } from '../../support/realtime.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
});

describe.each(['1.0.0', '2.0.0'])('broadcasts with vsn %s', (vsn) => {
  const sender = () => realtimeClient(app, app.publishable_key, vsn);
  const clients: ReturnType<typeof sender>[] = [];
  const client = () => {
    const made = sender();
    clients.push(made);
    return made;
  };
  afterAll(() => Promise.all(clients.map((each) => each.removeAllChannels())));

  it('reach the other channels of the topic, and the own one only with self', async () => {
    const [one, two, three] = [client(), client(), client()];
    const received: string[] = [];
    const open = (each: typeof one, name: string, self: boolean) =>
      joined(
        each
          .channel(`room ${vsn}`, { config: { broadcast: { self, ack: true } } })
          .on('broadcast', { event: 'hello' }, ({ payload }) => received.push(`${name}: ${payload.text}`)),
      );
    const [first] = await Promise.all([open(one, 'one', false), open(two, 'two', false), open(three, 'three', true)]);
    expect(await first.send({ type: 'broadcast', event: 'hello', payload: { text: 'grüße 🌍' } })).toBe('ok');
    await expect.poll(() => [...received].sort()).toEqual(['three: grüße 🌍', 'two: grüße 🌍']);
    received.length = 0;
    const own = three.channel(`own ${vsn}`, { config: { broadcast: { self: true } } });
    await joined(own.on('broadcast', { event: 'hello' }, ({ payload }) => received.push(payload.text)));
    await own.send({ type: 'broadcast', event: 'hello', payload: { text: 'me' } });
    await expect.poll(() => received).toEqual(['me']);
  });

  it('arrive from HTTP in both forms', async () => {
    const each = client();
    const received: unknown[] = [];
    const topic = `http ${vsn}`;
    await joined(
      each.channel(topic).on('broadcast', { event: '*' }, ({ event, payload }) => received.push([event, payload])),
    );
    const send = (path: string, init: RequestInit) =>
      fetch(`${app.url}/realtime/v1/api/broadcast${path}`, {
        method: 'POST',
        ...init,
        headers: { apikey: app.publishable_key, ...init.headers },
      });
    const message = { topic, event: 'a', payload: { n: 1 } };
    const list = await send('', { body: JSON.stringify({ messages: [message, { ...message, event: 'b' }] }) });
    expect(list.status).toBe(202);
    await expect
      .poll(() => received)
      .toEqual([
        ['a', { n: 1 }],
        ['b', { n: 1 }],
      ]);
    const path = `/${encodeURIComponent(topic)}/events/c`;
    expect((await send(path, { body: '{"n":2}', headers: { 'content-type': 'application/json' } })).status).toBe(202);
    await expect.poll(() => received[2]).toEqual(['c', { n: 2 }]);
    const bytes = new Uint8Array([0, 255, 1]);
    const binary = await send(path, { body: bytes, headers: { 'content-type': 'application/octet-stream' } });
    expect(binary.status).toBe(202);
    if (vsn === '2.0.0') {
      await expect.poll(() => received.length).toBe(4);
      const [, payload] = received[3] as [string, ArrayBuffer];
      expect(new Uint8Array(payload)).toEqual(bytes);
    }
  });
});

describe('the socket', () => {
  it('replies to heartbeats, and refuses what is no message, an unknown key and a version', async () => {
    const socket = await new RawSocket(app).opened();
    expect(await socket.ask('phoenix', 'heartbeat')).toEqual({ status: 'ok', response: {} });
    expect(await socket.join('')).toMatchObject({
      status: 'error',
      response: { reason: expect.stringContaining('TopicNameRequired') },
    });
    expect(await socket.join('x', { postgres_changes: 'all' })).toMatchObject({
      status: 'error',
      response: { reason: 'InvalidJoinPayload: config.postgres_changes must be a list.' },
    });
    socket.ws.send('no message');
    expect(await socket.closed).toEqual({ code: 1008, reason: 'UnexpectedMessage: The message is no JSON.' });
    await expect(new RawSocket(app, { key: 'sb_publishable_unknown' }).opened()).rejects.toThrow('401');
    await expect(new RawSocket(app, { path: '&vsn=1.0.0' }).opened()).resolves.toBeDefined();
    const plain = await fetch(`${app.url}/realtime/v1/websocket`, { headers: { apikey: app.publishable_key } });
    expect([plain.status, ((await plain.json()) as { code: string }).code]).toEqual([426, 'UpgradeRequired']);
  });

  it('leaves other upgrades to HTTP/1.1, with a body', async () => {
    const { request } = await import('node:http');
    const answer = await new Promise<string>((resolve, reject) => {
      const call = request(`${app.url}/realtime/v1/api/broadcast`, {
        method: 'POST',
        headers: {
          upgrade: 'h2c',
          connection: 'Upgrade, HTTP2-Settings',
          apikey: app.publishable_key,
          'content-length': '2',
        },
      });
      call.on('response', async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve(`${response.statusCode} ${Buffer.concat(chunks)}`);
      });
      call.on('error', reject);
      call.end('{}');
    });
    expect(answer).toMatch(/^422 .*UnprocessableEntity/);
  });
});
