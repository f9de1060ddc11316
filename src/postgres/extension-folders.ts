import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../contract/environment.ts';
import { mayEnter, type RunAs } from './run-as.ts';
import { StartError } from './start-error.ts';

/** Folders of further extensions. */
export interface ExtensionFolders {
  /** A folder whose subfolder `extension` has control files and scripts (`extension_control_path`). */
  readonly control: string;
  /** A folder with shared libraries (`dynamic_library_path`). */
  readonly library: string;
}

/** The oldest major version with `extension_control_path`. */
const OLDEST_MAJOR = 18;

/** Places of control files and libraries below the folder: of an installation, and of an unpacked Debian package. */
const places = (major: number) => ({
  control: ['share', 'share/postgresql', `usr/share/postgresql/${major}`, '.'],
  library: ['lib', 'lib/postgresql', `usr/lib/postgresql/${major}/lib`, '.'],
});

/**
 * Finds the extensions in the folder of NINEFOLD_POSTGRES_EXTENSIONS. The server process runs the code of their
 * libraries, so only the operator chooses the folder.
 * @param major Major version of the server.
 * @throws StartError if PostgreSQL cannot use the folder.
 */
export async function findExtensions(folder: string, runAs: RunAs, major: number): Promise<ExtensionFolders> {
  const { name } = environment.postgresExtensions;
  if (major < OLDEST_MAJOR) {
    throw new StartError(
      `${name} needs PostgreSQL ${OLDEST_MAJOR} or newer, and this is PostgreSQL ${major}: install the extensions into that PostgreSQL, and unset ${name}.`,
    );
  }
  const root = await realpath(folder).catch(() => null);
  if (root === null) throw new StartError(`The folder ${folder} of ${name} does not exist: ${advice}.`);
  if (root.includes(':')) throw new StartError(`The path ${root} of ${name} contains a colon: ${advice}.`);
  const { control, library } = places(major);
  const found = {
    control: await firstWith(root, control, 'extension', /\.control$/),
    library: await firstWith(root, library, '.', /\.(so|dylib)$/),
  };
  if (found.control === null || found.library === null) {
    const lacked = found.control === null ? 'control files (share/extension/*.control)' : 'libraries (lib/*.so)';
    throw new StartError(`The folder ${folder} of ${name} has no ${lacked} for PostgreSQL ${major}: ${advice}.`);
  }
  for (const place of [join(found.control, 'extension'), found.library]) {
    if (runAs && !(await mayEnter(place, runAs))) {
      throw new StartError(
        `PostgreSQL runs as the user with uid ${runAs.uid}, who may not read ${place}: let every user read it.`,
      );
    }
  }
  return { control: found.control, library: found.library };
}

const advice = `set ${environment.postgresExtensions.name} to a folder with extensions for the same major version, or unset it`;

/** Returns the first of the places below a root whose subfolder has a file with such a name; null if there is none. */
async function firstWith(
  root: string,
  candidates: readonly string[],
  below: string,
  name: RegExp,
): Promise<string | null> {
  for (const candidate of candidates) {
    const place = join(root, candidate);
    const folder = join(place, below);
    const isFolder = (await stat(folder).catch(() => null))?.isDirectory();
    if (isFolder && (await readdir(folder)).some((file) => name.test(file))) return place;
  }
  return null;
}
