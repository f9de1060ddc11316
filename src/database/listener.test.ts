import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { hostOf, pools, query, targetAt, value } from '../../test/support/pools.ts';
import { Connection } from './connection.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { Listener } from './listener.ts';

const { target, withPool } = pools('listener');
const slack = 1500;
const bound = limits.listenerTrustMilliseconds.default + limits.listenerAnswerMilliseconds.default;

/** Returns the address with a name for the connections of one test, because tests run at the same time. */
const targetOf = ({ task }: TestContext): ConnectionConfig => ({ ...target(), applicationName: task.id });

interface Recorded {
  listener: Listener;
  received: string[];
  /** The names of the events `connected` and `lost`, in the order in which they occurred. */
  states: string[];
}

async function listening({ onTestFinished }: TestContext, to: ConnectionConfig): Promise<Recorded> {
  const received: string[] = [];
  const states: string[] = [];
  const listener = new Listener(to, ['news'], {
    onNotification: (_, payload) => received.push(payload),
    onConnected: () => void states.push('connected'),
    onLost: () => void states.push('lost'),
  });
  onTestFinished(() => listener.close());
  await listener.start();
  return { listener, received, states };
}

const expired = ({ expect }: TestContext, { listener }: Recorded) =>
  expect.poll(() => listener.isCurrent, { timeout: 5000 }).toBe(false);

/** Stops the server process of the listener with SIGSTOP until the test ends. */
const freeze = ({ task, onTestFinished }: TestContext) =>
  withPool(async (pool) => {
    const listens = `select pid from pg_stat_activity where query like 'LISTEN%' and application_name = $1`;
    const pid = Number(await value(pool, query(listens, task.id)));
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  });

it("a connection has received every notification that was committed before the server's response", () =>
  withPool(async (pool) => {
    const received: string[] = [];
    const connection = await Connection.open(target(), 5000);
    connection.onNotification((_, payload) => received.push(payload));
    await connection.run([query('listen news')]);
    for (let i = 0; i < 300; i++) {
      await pool.run([query(`select pg_notify('news', $1)`, String(i))]);
      await connection.run([query('')]);
      expect(received.at(-1)).toBe(String(i));
    }
    connection.close();
  }));

describe.concurrent('Listener', () => {
  it('becomes current after one round trip on the same connection, for all waiting callers', async (test) => {
    const one = await listening(test, targetOf(test));
    expect(one.listener.isCurrent).toBe(true);
    await expired(test, one);
    expect(await Promise.all(Array.from({ length: 50 }, () => one.listener.prove()))).not.toContain(false);
    expect(one.listener.isCurrent).toBe(true);
    expect(one.states).toEqual(['connected']);
  });

  it('closes a connection whose server process is frozen, and reconnects', async (test) => {
    const one = await listening(test, targetOf(test));
    await freeze(test);
    const frozenAt = performance.now();
    await expired(test, one);
    expect(await one.listener.prove()).toBe(false);
    expect(one.states).toEqual(['connected', 'lost']);
    await one.listener.ensureCurrent();
    expect(performance.now() - frozenAt).toBeLessThan(bound + slack);
    expect(one.states).toEqual(['connected', 'lost', 'connected']);
    await withPool((pool) => pool.run([query(`select pg_notify('news', 'after')`)]));
    await test.expect.poll(() => one.received).toContain('after');
  });

  it('closes although the server process is frozen', async (test) => {
    const one = await listening(test, targetOf(test));
    await freeze(test);
    await one.listener.end();
    expect(one.listener.isCurrent).toBe(false);
  });

  it('closes a connection on which the network delivers no data, and connects again', async (test) => {
    const proxy = await silentProxy(test, target());
    const one = await listening(test, proxy.target);
    proxy.silence();
    await expired(test, one);
    expect(await one.listener.prove()).toBe(false);
    proxy.speak();
    await one.listener.ensureCurrent();
    expect(one.states).toEqual(['connected', 'lost', 'connected']);
  });
});

/** Starts a proxy that can stop forwarding data while its connections stay open. */
async function silentProxy(
  { onTestFinished }: TestContext,
  to: ConnectionConfig,
): Promise<{ target: ConnectionConfig; silence(): void; speak(): void }> {
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connect(hostOf(to));
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes: Buffer) => !isSilent && into.write(bytes));
      from.on('error', () => into.destroy());
      from.on('close', () => into.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    target: targetAt(to, (server.address() as AddressInfo).port),
    silence: () => {
      isSilent = true;
    },
    speak: () => {
      isSilent = false;
    },
  };
}
