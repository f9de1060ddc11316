import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** A text file of a project, with its path below the project. */
export interface ProjectFile {
  readonly name: string;
  readonly text: string;
}

/** File types of front ends and edge functions. */
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|dart|swift|kt|py)$/;
/** Folders of installed packages, of built files and of tools. */
const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'Pods', 'vendor']);
/** Bounds of the search, for a folder that is much more than a project. */
const MAX_FILES = 5000;
const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 12;

/** Returns true for a file or folder below another folder, after links of both were followed. The folder must exist. */
export function isInside(folder: string, path: string): boolean {
  if (!existsSync(path)) return false;
  const root = realpathSync(folder);
  return realpathSync(path).startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Returns the folder `supabase` of a project; null for a plain folder of migrations. */
function supabaseFolder(folder: string): string | null {
  const path = resolve(folder);
  const inside = basename(path) === 'migrations' ? dirname(path) : path;
  const isSupabase = basename(inside) === 'supabase' || existsSync(join(inside, 'config.toml'));
  return [join(inside, 'supabase'), ...(isSupabase ? [inside] : [])].find((each) => existsSync(each)) ?? null;
}

/** Returns the code of a project's front end and edge functions; nothing for a plain folder of migrations. */
export function readClientFiles(folder: string): ProjectFile[] {
  const supabase = supabaseFolder(folder);
  if (supabase === null) return [];
  const root = basename(supabase) === 'supabase' ? dirname(supabase) : supabase;
  const found: ProjectFile[] = [];
  collect(root, root, MAX_DEPTH, found);
  return found;
}

function collect(root: string, folder: string, depth: number, found: ProjectFile[]): void {
  for (const entry of entriesOf(folder)) {
    if (found.length >= MAX_FILES) return;
    const path = join(folder, entry.name);
    // Symbolic links are neither files nor folders here, so the search stays inside the project.
    if (entry.isDirectory() && depth > 0 && !IGNORED.has(entry.name) && !entry.name.startsWith('.')) {
      collect(root, path, depth - 1, found);
    } else if (entry.isFile() && CODE.test(entry.name) && statSync(path).size <= MAX_BYTES) {
      found.push({ name: relative(root, path), text: readFileSync(path, 'utf8') });
    }
  }
}

/** Returns the content of a folder by name; nothing for a folder that the user may not read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
