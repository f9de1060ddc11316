import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';

const LOOK_MILLISECONDS = 1000;
const ANSWER_MILLISECONDS = 1000;
/** Looks in a row that must find the server unreachable, so that a state that passes is left alone. */
const UNREACHABLE_LOOKS = 3;
/** A server that says nothing is given longer: after a crash of a session PostgreSQL takes no connections for some seconds. */
const SILENT_MILLISECONDS = 60_000;

/** SSLRequest (PostgreSQL manual, "Message Formats"): any server answers it with one byte, before a login. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Watches a running server, and resolves with the reason once it takes no new connections and never will: somebody told it
 * to shut down (it then waits for its clients), its pid file or its socket was deleted, or it says nothing. Takes no action
 * while the server starts or recovers. Resolves with null when `signal` aborts.
 */
export async function becomesUnreachable(
  plan: Pick<ServerPlan, 'folder' | 'port'>,
  server: ServerProcess,
  signal: AbortSignal,
): Promise<string | null> {
  const folder = socketFolderFor(plan.folder.path, plan.port);
  const address = folder ? { path: `${folder}/.s.PGSQL.${plan.port}` } : { host: '127.0.0.1', port: plan.port };
  let looks = 0;
  let silentSince: number | null = null;
  while (await pause(signal)) {
    const status = await server.status();
    if (status === 'stopping') return 'it was told to shut down';
    const found = status === null ? 'lost' : status === 'starting' ? 'answers' : await probe(address);
    looks = found === 'answers' || found === 'silent' ? 0 : looks + 1;
    if (looks >= UNREACHABLE_LOOKS) return found === 'lost' ? 'its pid file is gone' : 'it refuses connections';
    if (found !== 'silent') {
      silentSince = null;
      continue;
    }
    server.resume();
    silentSince ??= performance.now();
    if (performance.now() - silentSince > SILENT_MILLISECONDS) return 'it does not answer';
  }
  return null;
}

/** Returns false when `signal` aborts. */
const pause = (signal: AbortSignal): Promise<boolean> =>
  delay(LOOK_MILLISECONDS, true, { signal, ref: false }).catch(() => false);

function probe(address: NetConnectOpts): Promise<'answers' | 'refused' | 'silent'> {
  return new Promise((resolve) => {
    const socket = connect(address, () => socket.write(sslRequest));
    const end = (found: 'answers' | 'refused' | 'silent') => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(ANSWER_MILLISECONDS, () => end('silent'));
    socket.once('data', () => end('answers'));
    socket.once('close', () => end('silent'));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? 'refused' : 'silent'),
    );
  });
}
