import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type DeployFunction, FUNCTION_NAME } from '../../contract/functions.ts';
import { mapSpecifier, parseJson, readImportMap } from '../functions/bundle/specifier.ts';
import { isInside } from './project-files.ts';
import type { TomlValue } from './read-toml.ts';

/** An edge function in a folder. */
export interface FoundFunction extends DeployFunction {
  readonly name: string;
  /** Why the function cannot be deployed; absent if nothing speaks against it. */
  readonly fault?: string;
}

/** Folders of installed packages and of tools, whose files no function imports. */
const IGNORED: ReadonlySet<string> = new Set(['node_modules', '.git', '.vscode', '.idea', '.temp']);
/** Files with secrets, and test files, are not sent. */
const NOT_SENT = /^\.env|\.(?:test|spec)\.[jt]sx?$|_test\.[jt]sx?$|^\.DS_Store$/;
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const ENTRIES = ['index.ts', 'index.tsx', 'index.js', 'index.mjs', 'index.jsx'] as const;
const MAPS = ['deno.json', 'deno.jsonc', 'import_map.json'] as const;
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\n]+)["']/g;

/** Returns the folder with the functions of a project: `supabase/functions`, or the folder itself; null if there is none. */
export function functionsFolder(folder: string): string | null {
  const path = resolve(folder);
  const places = [
    join(path, 'supabase', 'functions'),
    join(path, 'functions'),
    ...(basename(path) === 'functions' ? [path] : []),
  ];
  return places.find((place) => existsSync(place) && statSync(place).isDirectory()) ?? null;
}

/**
 * Reads the functions of a folder, as the CLI of Supabase does: each folder whose name does not begin with `_` or `.` is one, and each
 * that config.toml gives an entrypoint.
 * @param place The folder with the functions.
 * @param config The keys of config.toml: `functions.<name>.verify_jwt`, `entrypoint`, `import_map` and `enabled`.
 */
export function readFunctions(place: string, config: ReadonlyMap<string, TomlValue>): FoundFunction[] {
  const shared = [
    ...filesOf(place, false),
    ...folders(place)
      .filter((name) => name.startsWith('_'))
      .flatMap((name) => filesOf(join(place, name), true)),
  ];
  const declared = [...config.keys()].flatMap((key) => /^functions\.([^.]+)\.entrypoint$/.exec(key)?.[1] ?? []);
  const named = folders(place).filter((name) => !/^[_.]/.test(name) && !IGNORED.has(name));
  return [...new Set([...named, ...declared])].sort().flatMap((name) => {
    if (config.get(`functions.${name}.enabled`) === false) return [];
    const found = readFunction(place, name, shared, config);
    return found === null ? [] : [found];
  });
}

const folders = (place: string): string[] =>
  readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

function readFunction(
  place: string,
  name: string,
  shared: readonly string[],
  config: ReadonlyMap<string, TomlValue>,
): FoundFunction | null {
  const textOf = (key: string): string | null => {
    const value = config.get(`functions.${name}.${key}`);
    if (typeof value !== 'string' || value === '') return null;
    // Paths in config.toml are relative to its folder, which is the one above the functions. Many are written from the project's folder.
    const paths = [resolve(dirname(place), value), resolve(dirname(place), '..', value)];
    return paths.find(existsSync) ?? paths[0] ?? null;
  };
  const own = join(place, name);
  const entry = textOf('entrypoint') ?? ENTRIES.map((each) => join(own, each)).find(existsSync);
  if (entry === undefined) return null;
  const refused = (fault: string): FoundFunction => ({ name, files: {}, entrypoint: '', fault });
  if (!FUNCTION_NAME.test(name))
    return refused(
      `The folder ${name} cannot be a function: a name begins with a letter, and has letters, digits, hyphens and underscores.`,
    );
  const map =
    textOf('import_map') ??
    [...MAPS.map((each) => join(own, each)), ...MAPS.map((each) => join(place, each))].find(existsSync);
  const importable = importableFolder(place);
  for (const path of [entry, ...(map === undefined ? [] : [map])]) {
    if (!existsSync(path)) return refused(`${path}, which config.toml names, does not exist.`);
    if (!isInside(importable, path)) return refused(`${path}, a file of the function, is outside of the project.`);
  }
  const owned = existsSync(own) ? filesOf(own, true) : [];
  const paths = withImports([...owned, ...shared, entry, ...(map === undefined ? [] : [map])], importable, map);
  const root = commonFolder([place, ...paths]);
  const inRoot = (path: string): string => relative(root, path).split(sep).join(posix.sep);
  const files = Object.fromEntries(
    [...paths].flatMap((path) => {
      const text = textIn(path);
      return text === null ? [] : [[inRoot(path), text]];
    }),
  );
  const verifies = config.get(`functions.${name}.verify_jwt`);
  return {
    name,
    files,
    entrypoint: inRoot(entry),
    ...(map !== undefined && { import_map: inRoot(map) }),
    verify_jwt: verifies !== false,
  };
}

/**
 * Returns the folder whose files functions may import: the repository of the functions; without one, their project. The
 * code of a project from elsewhere must not import the user's other files, because everybody who calls the function
 * could read them.
 */
function importableFolder(place: string): string {
  const parent = dirname(resolve(place));
  for (let folder = parent; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return basename(parent) === 'supabase' ? dirname(parent) : parent;
  }
}

/** Adds files of a folder that others import, by their paths or by the names in an import map. */
function withImports(paths: readonly string[], folder: string, map: string | undefined): ReadonlySet<string> {
  const all = new Set(paths);
  const names = readImportMap(map === undefined ? null : parseJson(textIn(map) ?? ''));
  // A Set also visits values that are added meanwhile.
  for (const path of all) {
    for (const [, specifier = ''] of (textIn(path) ?? '').matchAll(IMPORT)) {
      const mapped = mapSpecifier(names, specifier, '');
      const imported = mapped ?? specifier;
      if (!/^\.{1,2}\//.test(imported)) continue;
      const target = resolve(dirname(mapped === null || map === undefined ? path : map), imported);
      if (isInside(folder, target) && isSent(target)) all.add(target);
    }
  }
  return all;
}

function filesOf(folder: string, isDeep: boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isDeep && !IGNORED.has(entry.name) ? filesOf(path, true) : [];
    return entry.isFile() && !NOT_SENT.test(entry.name) && isSent(path) ? [path] : [];
  });
}

function isSent(path: string): boolean {
  const stats = statSync(path);
  return stats.isFile() && stats.size <= MAX_FILE_BYTES;
}

/** Returns the text of a file; null for a file that is no text. */
function textIn(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    return null;
  }
}

function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let folder = first;
  for (const path of others) while (path !== folder && !path.startsWith(`${folder}${sep}`)) folder = dirname(folder);
  return folder;
}
