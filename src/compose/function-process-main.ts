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

let host: FunctionHost | null = null;
let folderOfNode: string | null = null;

process.once('message', (configuration: FunctionConfiguration) => void start(configuration));
process.on('disconnect', () => void end().finally(() => process.exit()));
// Ignores signals, because the node ends this process itself. A terminal sends signals to every process of its group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

async function start({
  folder,
  socketPath,
  program,
  bootstrap,
  bounds,
  httpAllowed,
  hasUsers,
}: FunctionConfiguration): Promise<void> {
  folderOfNode = folder;
  // A process that was lost leaves its socket.
  await rm(socketPath, { force: true });
  host = new FunctionHost(folder, bounds, {
    program,
    bootstrap,
    policy: new AddressPolicy(httpAllowed),
    bounds,
    userOf: (ref) => (hasUsers ? userOf(ref) : null),
    onStart: (pid) => void raiseOomScore(pid, 'expendable'),
  });
  await host.listen(socketPath);
}

/** Ends the functions. Deletes the folder too, because a node that was killed cannot. */
async function end(): Promise<void> {
  await host?.close();
  if (folderOfNode !== null) await rm(folderOfNode, { recursive: true, force: true });
}

function userOf(ref: string): { uid: number; gid: number } {
  const number = FIRST_USER + (createHash('sha256').update(ref).digest().readUInt32BE(0) % USERS);
  return { uid: number, gid: number };
}
