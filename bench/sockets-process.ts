/** A process of the load generator: holds sockets, sends broadcasts and counts what arrives. */
import http from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { ageOf, sharedNow, timeText } from './realtime/clock.ts';
import type { Order, Report, Target } from './realtime/orders.ts';
import { EventStream, WebSocketStream } from './realtime/streams.ts';
import { accessToken } from './realtime/tokens.ts';

/** Connections that are opened at the same time. */
const TOGETHER = 32;
/** Every so many sockets measure the age of their messages. */
const SAMPLE = 8;
const MAX_AGES = 50_000;
const TICK_MILLISECONDS = 5;
const STALLED_MILLISECONDS = 400;
/** Makes frames of 280 bytes in 1.0.0. */
const FILLER = 'x'.repeat(115);

type Stream = WebSocketStream | EventStream;
type RealtimeTarget = Extract<Target, { kind: 'realtime' }>;

let streams: Stream[] = [];
let received = 0;
let lastAt = 0;
let ages: number[] = [];
let sent = 0;
/** Sends one broadcast; null before the first order to send. */
let push: (() => void) | null = null;
let stop: () => void = () => undefined;
let onReceived: () => void = () => undefined;

const report = (): Report => ({
  sent,
  received,
  ages,
  lastAt,
  closed: streams.filter(({ isClosed }) => isClosed).length,
});

process.on('message', (order: Order) => {
  run(order).then(
    (done) => process.send?.(done),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function run(order: Order): Promise<Report> {
  switch (order.kind) {
    case 'open':
      await open(order.target, order.first, order.count);
      received = 0;
      ages = [];
      return report();
    case 'send':
      await send(order);
      return report();
    case 'stop':
      stop();
      // Messages that are still on the network arrive now.
      for (let before = -1; before !== received; ) {
        before = received;
        await after(300);
      }
      return report();
    case 'measure': {
      ages = [];
      const before = received;
      await after(order.milliseconds);
      const found = { ...report(), received: received - before };
      ages = [];
      return found;
    }
    case 'count':
      return { ...report(), ages: [] };
    case 'reset': {
      const found = report();
      received = 0;
      ages = [];
      return found;
    }
    case 'presence':
      return presence(order.joinMilliseconds, order.members);
    case 'close':
      for (const stream of streams) stream.close();
      streams = [];
      return report();
  }
}

async function open(target: Target, first: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => first + i).values();
  const work = async (): Promise<void> => {
    for (const i of numbers) streams.push(await listening(await connect(target, i), i));
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

function listening(stream: Stream, i: number): Stream {
  const samples = i % SAMPLE === 0;
  stream.onMessage = (bytes, start, end) => {
    received++;
    lastAt = sharedNow();
    if (samples && ages.length < MAX_AGES) {
      const age = ageOf(bytes, start, end);
      if (age !== null) ages.push(age);
    }
    onReceived();
  };
  return stream;
}

async function connect(target: Target, i: number): Promise<Stream> {
  if (target.kind === 'bare') {
    const stream = new WebSocketStream(target.ports[i % target.ports.length] as number, '/');
    await stream.opened;
    return stream;
  }
  if (target.kind === 'events') return subscribed(target.port, target.subscription);
  const stream = new WebSocketStream(target.port, target.path);
  await stream.opened;
  if (target.config !== null) await join(stream, target, i);
  return stream;
}

/** Returns the text of a message of a client. */
const textOf = (version: string, topic: string, event: string, payload: string): string =>
  version === '1.0.0'
    ? `{"topic":"realtime:${topic}","event":"${event}","payload":${payload},"ref":"1","join_ref":"1"}`
    : `["1","1","realtime:${topic}","${event}",${payload}]`;

/** Joins a topic. Resolves when changes of the database are followed, if they are asked for. */
function join(stream: WebSocketStream, target: RealtimeTarget, i: number): Promise<void> {
  const { version, config, secret } = target;
  const topic = target.topic.replace('*', String(i));
  const last = config && 'postgres_changes' in config ? 'Subscribed to PostgreSQL' : '"status":"ok"';
  return new Promise((resolve, reject) => {
    stream.onMessage = (bytes, start, end) => {
      const text = bytes.toString('utf8', start, end);
      if (text.includes('"status":"error"')) reject(new Error(text));
      else if (text.includes(last)) resolve();
    };
    const token = secret === null ? {} : { access_token: accessToken(i, secret) };
    stream.send(textOf(version, topic, 'phx_join', JSON.stringify({ config, ...token })));
  });
}

/** Opens a stream of events and subscribes it. */
async function subscribed(port: number, subscription: string): Promise<EventStream> {
  const stream = new EventStream(port, '/api/realtime');
  const connected = new Promise<string>((resolve) => {
    stream.onMessage = (bytes, start, end) => {
      const id = /"clientId":"([^"]+)"/.exec(bytes.toString('utf8', start, end))?.[1];
      if (id) resolve(id);
    };
  });
  await stream.opened;
  await post(port, '/api/realtime', JSON.stringify({ clientId: await connected, subscriptions: [subscription] }));
  return stream;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: TOGETHER });

const post = (port: number, path: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: '127.0.0.1', path, method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        if ((response.statusCode ?? 500) >= 300) reject(new Error(`${path}: ${response.statusCode}`));
        response.once('end', resolve);
      },
    );
    request.once('error', reject);
    request.end(body);
  });

/** Starts to send broadcasts. */
async function send(order: Extract<Order, { kind: 'send' }>): Promise<void> {
  push ??= await sender(order.target);
  const own = push;
  sent = 0;
  const next = (): void => {
    sent++;
    own();
  };
  if ('perSecond' in order) {
    const started = sharedNow();
    const timer = setInterval(() => {
      const due = ((sharedNow() - started) * order.perSecond) / 1000;
      while (sent < due) next();
    }, TICK_MILLISECONDS);
    stop = () => clearInterval(timer);
    return;
  }
  let lost = 0;
  onReceived = () => {
    while ((sent - order.window) * streams.length < received + lost) next();
  };
  let before = -1;
  // A server may refuse broadcasts above a limit. Then nothing arrives any more, and the next ones are sent.
  const timer = setInterval(() => {
    if (received === before) {
      lost = sent * streams.length - received;
      onReceived();
    }
    before = received;
  }, STALLED_MILLISECONDS);
  stop = () => {
    clearInterval(timer);
    onReceived = () => undefined;
  };
  onReceived();
}

/** Returns a function that sends one broadcast. */
async function sender(target: Target): Promise<() => void> {
  const message = (): string => `{"type":"broadcast","event":"m","payload":{"at":"${timeText()}","text":"${FILLER}"}}`;
  if (target.kind === 'events') {
    return () => {
      post(target.port, '/bench/broadcast', message()).catch((error: Error) => console.error(error.message));
    };
  }
  if (target.kind === 'bare') {
    const all = target.ports.map((port) => new WebSocketStream(port, '/sender'));
    await Promise.all(all.map(({ opened }) => opened));
    return () => {
      const text = `{"topic":"realtime:fan","event":"broadcast","payload":${message()},"ref":null,"join_ref":null}`;
      for (const stream of all) stream.send(text);
    };
  }
  const stream = new WebSocketStream(target.port, target.path);
  await stream.opened;
  await join(stream, target, 0);
  stream.onMessage = (bytes, start, end) => console.error(`The sender received ${bytes.toString('utf8', start, end)}`);
  return () => stream.send(textOf(target.version, target.topic, 'broadcast', message()));
}

/** Joins all sockets to one presence channel. Reports the time until the last of them knows all members. */
async function presence(joinMilliseconds: number, members: number): Promise<Report> {
  const started = sharedNow();
  const settled = streams.map((stream, i) => {
    if (!(stream instanceof WebSocketStream)) throw new Error('presence needs WebSockets');
    const known = new Set<string>();
    const samples = i % SAMPLE === 0;
    let isTracked = false;
    return new Promise<void>((resolve, reject) => {
      stream.onMessage = (bytes, start, end) => {
        const text = bytes.toString('utf8', start, end);
        if (text.includes('"status":"error"')) reject(new Error(text));
        if (!isTracked && text.includes('"status":"ok"')) {
          isTracked = true;
          const track = { type: 'presence', event: 'track', payload: { name: `Member ${i}`, online_at: Date.now() } };
          stream.send(textOf('1.0.0', 'room', 'presence', JSON.stringify(track)));
        }
        const isDiff = text.includes('"presence_diff"');
        if (isDiff) received++;
        if (!samples || !(isDiff || text.includes('"presence_state"'))) return;
        lastAt = sharedNow();
        for (const [key] of text.matchAll(/member-\d+(?=":\{"metas")/g)) known.add(key);
        if (known.size === members) resolve();
      };
      if (!samples) resolve();
      setTimeout(
        () => {
          const config = { presence: { enabled: true, key: `member-${process.pid}${i}` } };
          stream.send(textOf('1.0.0', 'room', 'phx_join', JSON.stringify({ config })));
        },
        (i * joinMilliseconds) / streams.length,
      );
    });
  });
  received = 0;
  await Promise.race([Promise.all(settled), after(30_000)]);
  return { ...report(), lastAt: lastAt - started };
}
