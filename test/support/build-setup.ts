import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clone } from './clone.ts';

/** Builds the server or the web applications that the tests start. Builds them for production, whatever NODE_ENV the test has. */
export async function build(...targets: ('server' | 'web')[]): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, ['scripts/prepare.mjs', ...targets], { cwd: clone, env });
}

export const setup = (): Promise<void> => build('server');
