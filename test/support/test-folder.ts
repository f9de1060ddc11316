import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { clone } from './clone.ts';

const below = join(clone, '.tmp/tests');

/** The folder that contains the databases of tests. It is below the clone, unless the variable TEST_HOMES names a faster place. */
export const homes = process.env.TEST_HOMES ?? below;

/** Creates a new empty folder below the clone for a test. */
export const makeTestFolder = (name: string): Promise<string> => make(below, name);

/** Creates a new empty home for a node or a PostgreSQL. */
export const makeTestHome = (name: string): Promise<string> => make(homes, name);

async function make(parent: string, name: string): Promise<string> {
  const folder = join(parent, `${name}-${randomUUID().slice(0, 8)}`);
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}
