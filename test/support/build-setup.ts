import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clone } from './clone.ts';

/**
 * Builds the server or the web applications that the tests start, in the production mode and not in the NODE_ENV of the
 * test.
 */
export async function build(...targets: ('server' | 'web')[]): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, ['scripts/prepare.mjs', ...targets], { cwd: clone, env });
}

export const setup = (): Promise<void> => build('server');
