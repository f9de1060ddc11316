import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError, systemCode } from './start-error.ts';

const host = '127.0.0.1';

/**
 * Returns the port to listen on. A fixed port must be free. For 0, returns the port that this home used last if it is
 * free, otherwise any free port, which is stored for the next start.
 * @throws StartError if a fixed port cannot be used.
 */
export async function choosePort(home: string, wanted: number): Promise<number> {
  if (wanted !== 0) {
    const code = await tryPort(wanted);
    if (code === null) return wanted;
    throw new StartError(
      code === 'EADDRINUSE'
        ? `Port ${wanted} on ${host} is taken by another program: stop it, or choose another port for PostgreSQL.`
        : `Port ${wanted} on ${host} cannot be used (${code}): choose another port for PostgreSQL.`,
    );
  }
  const file = join(home, 'postgres.port');
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  if (Number.isInteger(last) && last > 0 && last < 65536 && (await tryPort(last)) === null) return last;
  const port = await freePort();
  await writeFile(file, `${port}\n`);
  return port;
}

/** Tries to listen on the port. Returns null on success, otherwise the error code of the operating system. */
async function tryPort(port: number): Promise<string | null> {
  try {
    await listenOnce(port);
    return null;
  } catch (error) {
    return systemCode(error) || 'unknown error';
  }
}

/** Returns a free port of the loopback interface. */
export const freePort = (): Promise<number> => listenOnce(0);

function listenOnce(port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(chosen));
    });
  });
}
