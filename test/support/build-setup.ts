import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clone } from './clone.ts';

/** Builds what the tests will start. */
export async function build(...targets: ('server' | 'web')[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/prepare.mjs', ...targets], { cwd: clone });
}

export const setup = (): Promise<void> => build('server');
