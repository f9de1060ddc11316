import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { findExtensions } from './extension-folders.ts';

/** Creates a folder with empty files. */
async function folderWith(...files: string[]): Promise<string> {
  const folder = await makeTestFolder('extensions');
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  return folder;
}

describe('findExtensions', () => {
  it.each([
    ['an installation', 'share/extension/vector.control', 'lib/vector.so', 'share', 'lib'],
    [
      'an unpacked Debian package',
      'usr/share/postgresql/18/extension/vector.control',
      'usr/lib/postgresql/18/lib/vector.so',
      'usr/share/postgresql/18',
      'usr/lib/postgresql/18/lib',
    ],
  ])('finds control files and libraries in the layout of %s', async (_, control, library, share, lib) => {
    const folder = await folderWith(control, library);
    expect(await findExtensions(folder, null, 18)).toEqual({
      control: join(folder, share),
      library: join(folder, lib),
    });
  });

  it('refuses a folder that is missing, lacks files, or whose path contains a colon', async () => {
    const refusal = (folder: string) => findExtensions(folder, null, 18).catch((error: Error) => error.message);
    expect(await refusal('/nowhere')).toContain('of NINEFOLD_POSTGRES_EXTENSIONS does not exist');
    expect(await refusal(await folderWith('lib/vector.so'))).toContain('has no control files');
    expect(await refusal(await folderWith('share/extension/vector.control'))).toContain('has no libraries');
    const other = await folderWith('usr/share/postgresql/17/extension/vector.control', 'lib/vector.so');
    expect(await refusal(other)).toContain('for PostgreSQL 18');
    expect(await refusal(join(await folderWith('a:b/lib/vector.so'), 'a:b'))).toContain('contains a colon');
  });

  it('refuses a PostgreSQL that has no setting for such a folder', async () => {
    const folder = await folderWith('share/extension/vector.control', 'lib/vector.so');
    await expect(findExtensions(folder, null, 17)).rejects.toThrow('needs PostgreSQL 18 or newer');
  });
});
