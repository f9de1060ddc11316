import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../test/support/embedded-server.ts';
import { installedPostgres } from '../../test/support/postgres-programs.ts';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { findBinaries } from './binaries.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { StartError } from './start-error.ts';

let home: string;
beforeEach(async () => {
  home = await makeTestHome('binaries');
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('findBinaries with a folder', () => {
  const refusal = (folder: string) =>
    findBinaries(null, { bin: folder, extensions: null }).catch((error: unknown) => error);

  it('rejects a folder that is missing, lacks a program, or has one that is too old, with a sentence', async () => {
    const bin = join(home, 'bin');
    const message = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });
    expect(await refusal(bin)).toBeInstanceOf(StartError);
    expect(await refusal(bin)).toEqual(message('of NINEFOLD_POSTGRES_BIN does not exist: set NINEFOLD_POSTGRES_BIN'));
    await mkdir(bin);
    await writeFile(join(bin, 'initdb'), '');
    expect(await refusal(bin)).toEqual(message('lacks the program postgres'));
    await writeFile(join(bin, 'postgres'), '#!/bin/sh\necho "postgres (PostgreSQL) 14.19 (Debian 14.19-1)"\n');
    await chmod(join(bin, 'postgres'), 0o755);
    expect(await refusal(bin)).toEqual(message('has the programs of PostgreSQL 14.19, and Ninefold needs version 15'));
    await writeFile(join(bin, 'postgres'), '#!/bin/sh\necho "no library" >&2\nexit 127\n');
    expect(await refusal(bin)).toEqual(message('does not say its version (no library)'));
  });
});

describe.runIf(installedPostgres.length > 0)('startEmbeddedPostgres with an installed PostgreSQL', () => {
  it.each(installedPostgres)('runs the programs in %s, and names them if the data is of another major', async (bin) => {
    const options = { home, port: 0, password: 'for-tests-only', log: () => undefined };
    const postgres = await startEmbeddedPostgres({ ...options, programs: { bin, extensions: null } });
    try {
      expect(bin).toContain(`/${Number.parseInt(postgres.version, 10)}/`);
      const [row] = await query(
        postgres.url,
        `select current_setting('data_checksums') as checksums, pg_encoding_to_char(encoding) as encoding,
                'Z' < 'a' and upper('ä') = 'Ä' as as_c_utf8
         from pg_database where datname = current_database()`,
      );
      expect(row).toEqual({ checksums: 'on', encoding: 'UTF8', as_c_utf8: true });
    } finally {
      await postgres.stop();
    }
    const { major } = await findBinaries(null);
    if (bin.includes(`/${major}/`)) return;
    await expect(startEmbeddedPostgres(options)).rejects.toThrow(
      `this Ninefold runs PostgreSQL ${major}: run “ninefold upgrade-postgres”, set NINEFOLD_POSTGRES_BIN to the programs`,
    );
  });
});
