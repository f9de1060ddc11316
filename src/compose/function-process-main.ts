import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import process from 'node:process';
import { FunctionHost } from '../functions/host/function-host.ts';
import { AddressPolicy } from '../jobs/public-address.ts';
import { raiseOomScore } from '../postgres/oom-score.ts';
import type { FunctionConfiguration } from './function-configuration.ts';

/** The entry of the process that runs edge functions. It works until its node disconnects. */

/**
 * Users of the operating system that run functions, if the node runs as root: unused numbers below those of systemd's dynamic users. Two apps
 * rarely share one. The kernel needs no entry in /etc/passwd for them.
 */
const FIRST_USER = 60_600;
const USERS = 580;

run();

function run(): void {
  let end = async (): Promise<void> => undefined;
  process.once('message', (configuration: FunctionConfiguration) => {
    const host = hostOf(configuration);
    // Deletes the folder too, because a node that was killed cannot.
    end = async () => {
      await host.close();
      await rm(configuration.folder, { recursive: true, force: true });
    };
    void listen(host, configuration);
  });
  process.on('disconnect', () => void end().finally(() => process.exit()));
  // Ignores signals, because the node ends this process itself. A terminal sends signals to every process of its group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

const hostOf = ({ folder, program, bootstrap, bounds, httpAllowed, hasUsers }: FunctionConfiguration): FunctionHost =>
  new FunctionHost(folder, bounds, {
    program,
    bootstrap,
    policy: new AddressPolicy(httpAllowed),
    bounds,
    userOf: (ref) => (hasUsers ? userOf(ref) : null),
    onStart: (pid) => void raiseOomScore(pid, 'expendable'),
  });

async function listen(host: FunctionHost, { socketPath }: FunctionConfiguration): Promise<void> {
  // A process that was lost leaves its socket.
  await rm(socketPath, { force: true });
  await host.listen(socketPath);
}

function userOf(ref: string): { uid: number; gid: number } {
  const number = FIRST_USER + (createHash('sha256').update(ref).digest().readUInt32BE(0) % USERS);
  return { uid: number, gid: number };
}
