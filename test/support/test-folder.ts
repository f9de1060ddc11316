import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { clone } from './clone.ts';

/** A fresh empty folder below the clone, for a test. */
export async function makeTestFolder(name: string): Promise<string> {
  const folder = join(clone, '.tmp/tests', `${name}-${randomUUID().slice(0, 8)}`);
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}
