import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clone } from './clone.ts';

/** Builds what the tests will start: the same as for use, not what the NODE_ENV of a test would make of it. */
export async function build(...targets: ('server' | 'web')[]): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, ['scripts/prepare.mjs', ...targets], { cwd: clone, env });
}

export const setup = (): Promise<void> => build('server');
