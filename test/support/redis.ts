import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-port.ts';

/** A Redis server of one test file. */
export interface TestRedis {
  /** `redis://user:password@127.0.0.1:…/0` */
  readonly url: string;
  readonly port: number;
  /** Kills the server with SIGKILL. */
  kill9(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  /** Stops the process of the server with SIGSTOP, or lets it continue. */
  freeze(): void;
  thaw(): void;
}

/** True if `redis-server` or `valkey-server` is installed. Tests that need one are skipped otherwise. */
export const redisProgram: string | null =
  ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0) ?? null;

const PASSWORD = 'p@ss/word';

/** Starts a Redis server that stores nothing on disk. */
export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess;
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];
    child = spawn(redisProgram ?? '', options, { stdio: 'ignore', cwd: '/' });
    while (!(await accepts(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await start();
  return {
    url: `redis://default:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/0`,
    port,
    start,
    kill9: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
