import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

/** The program of PocketBase. */
export const POCKETBASE = process.env.BENCH_POCKETBASE;

/** A running PocketBase. */
export interface PocketBase {
  readonly port: number;
  readonly superuserToken: string;
  /** A password for members. */
  readonly password: string;
  /** Sends a request to `/api/collections`. */
  readonly post: <T>(path: string, body: object, token?: string) => Promise<T>;
}

/**
 * Runs work with an empty PocketBase.
 * @param hooks JavaScript that PocketBase runs; empty for none.
 */
export async function withPocketBase(
  program: string,
  hooks: string,
  work: (pocketBase: PocketBase) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(process.cwd(), '.tmp/bench/pocketbase-'));
  // It also writes migrations, into the folder above its data.
  const data = join(home, 'data');
  const hooksFolder = join(home, 'hooks');
  mkdirSync(hooksFolder);
  if (hooks !== '') writeFileSync(join(hooksFolder, 'bench.pb.js'), hooks);
  const password = randomBytes(12).toString('hex');
  const identity = 'bench@example.com';
  execFileSync(program, ['superuser', 'upsert', identity, password, '--dir', data]);
  const port = await freePort();
  const child = spawn(program, ['serve', '--dir', data, '--hooksDir', hooksFolder, '--http', `127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  try {
    const post = async <T>(path: string, body: object, token = ''): Promise<T> => {
      const response = await fetch(`http://127.0.0.1:${port}/api/collections${path}`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`PocketBase: ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    await untilHealthy(port, child);
    const { token } = await post<{ token: string }>('/_superusers/auth-with-password', { identity, password });
    await work({ port, superuserToken: token, password, post });
  } finally {
    await ended(child);
    rmSync(home, { recursive: true, force: true });
  }
}

async function untilHealthy(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => null);
    if (response?.ok) return;
    await after(50);
  }
  throw new Error(`PocketBase ended with ${child.exitCode}`);
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
