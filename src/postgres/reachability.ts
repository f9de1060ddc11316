import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerPlan, ServerProcess } from './server-process.ts';
import { socketFolderFor } from './settings.ts';

const LOOK_MILLISECONDS = 1000;
const ANSWER_MILLISECONDS = 1000;
/**
 * Number of checks in a row that must fail before a server counts as unreachable, so that temporary states have no
 * effect.
 */
const UNREACHABLE_LOOKS = 3;
/**
 * Time that a server without a response gets. It is longer, because PostgreSQL accepts no connections for some seconds
 * after a session has crashed.
 */
const SILENT_MILLISECONDS = 60_000;

/** SSLRequest (PostgreSQL manual, "Message Formats"). Every server responds to it with one byte, before a login. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Watches a running server. Resolves with a reason once the server permanently accepts no new connections: it was asked
 * to shut down (and waits for its clients), its pid file or socket was deleted, or it does not respond. Ignores a
 * server that is starting or recovering. Resolves with null when `signal` aborts.
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
    if (status === 'stopping') return 'it is shutting down';
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

/** Waits for the next check. Returns false if `signal` aborts. */
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
