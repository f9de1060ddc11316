import { builtinModules } from 'node:module';
import { ImportError } from './bundle-error.ts';

/** A package in a specifier: `npm:name@range/path` and `jsr:@scope/name@range/path`. */
export interface PackageRequest {
  readonly name: string;
  /** A range of versions or a tag; empty for the newest version. */
  readonly range: string;
  /** The path within the package without a leading slash; empty for its entry. */
  readonly path: string;
}

const PACKAGE = /^\/?((?:@[a-z0-9~_.-]+\/)?[a-z0-9~_-][a-z0-9~_.-]*)(?:@([^/]*))?(?:\/(.*))?$/i;

/** Reads the part of a specifier after `npm:` or `jsr:`. @throws ImportError */
export function parsePackage(text: string): PackageRequest {
  const [, name, range = '', path = ''] = PACKAGE.exec(text) ?? [];
  if (name === undefined) throw new ImportError(`“${text}” names no package.`);
  return { name, range: decodeURIComponent(range), path };
}

/** Returns true for a name that a package can have in npm. Any other could lead out of the folder of the packages. */
export const isPackageName = (name: string): boolean => {
  const [, found] = PACKAGE.exec(name) ?? [];
  return found === name;
};

const builtins: ReadonlySet<string> = new Set(builtinModules);

/** Returns the specifier of a module of Node.js with its prefix; null for any other. Deno has these modules too. */
export function nodeModule(specifier: string): string | null {
  const name = specifier.replace(/^node:/, '');
  return builtins.has(name) ? `node:${name}` : null;
}

/** Hosts that serve packages of npm as modules, and how their paths begin. */
const npmHosts: Readonly<Record<string, RegExp>> = {
  'esm.sh': /^\/(?:(?:v\d+|stable|gh|\*)\/)?\*?/,
  'cdn.skypack.dev': /^\/(?:-\/|pin\/)?/,
  'unpkg.com': /^\//,
  'cdn.jsdelivr.net': /^\/npm\//,
  'esm.run': /^\//,
};

/**
 * Returns the specifier of the package that an address serves; the address itself if it serves none. Such hosts convert packages of npm
 * for browsers. Deno needs no conversion, and the registry has fixed content.
 */
export function packageOfUrl(url: URL): string {
  const prefix = Object.hasOwn(npmHosts, url.hostname) ? npmHosts[url.hostname] : undefined;
  if (!prefix?.test(url.pathname) || url.pathname.startsWith('/gh/')) return url.href;
  const rest = url.pathname.replace(prefix, '').replace(/\/\+esm$/, '');
  if (rest.startsWith('jsr/')) return `jsr:${rest.slice('jsr/'.length)}`;
  const { name, range, path } = parsePackage(rest.replace(/&[^/]*$/, ''));
  const isEntry = path === '' || /^(?:es\d+|deno|denonext)\//.test(path);
  return `npm:${name}${range === '' ? '' : `@${range}`}${isEntry ? '' : `/${path}`}`;
}

/** Modules that have only types, and modules of Supabase's runtime, which Ninefold provides itself. */
export const isTypesOnly = (specifier: string): boolean =>
  /\.d\.(?:ts|mts|cts)(?:[?#].*)?$/.test(specifier) || /^jsr:\/?@supabase\/functions-js(?:@|\/|$)/.test(specifier);

/** The server of Deno's former standard library, whose functions Deno 2 has itself. */
export const isStandardServer = (url: string): boolean =>
  /^https:\/\/deno\.land\/std(?:@[^/]+)?\/http\/(?:server|mod)\.ts$/.test(url);

/** An import map (https://html.spec.whatwg.org/#import-maps), with keys and addresses as text. */
export interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const emptyImportMap: ImportMap = { imports: {}, scopes: {} };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};

/** Reads JSON with comments and final commas, as deno.jsonc has them. Returns null for other text. */
export function parseJson(text: string): unknown {
  const withoutComments = text.replace(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, string: string | undefined) => string ?? '',
  );
  try {
    return JSON.parse(
      withoutComments.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? ''),
    );
  } catch {
    return null;
  }
}

/** Reads deno.json, deno.jsonc or an import map. */
export function readImportMap(value: unknown): ImportMap {
  if (!isRecord(value)) return emptyImportMap;
  const scopes = isRecord(value.scopes)
    ? Object.fromEntries(Object.entries(value.scopes).map(([scope, map]) => [scope, textsOf(map)]))
    : {};
  return { imports: textsOf(value.imports), scopes };
}

/** Returns the address that a map has for a specifier; null if it has none. A key with a final slash fits all that begins with it. */
export function mapSpecifier(map: ImportMap, specifier: string, importer: string): string | null {
  const scoped = Object.entries(map.scopes)
    .filter(([scope]) => importer.startsWith(scope.replace(/^\.\//, '')))
    .sort(([a], [b]) => b.length - a.length)
    .map(([, entries]) => entries);
  for (const entries of [...scoped, map.imports]) {
    if (Object.hasOwn(entries, specifier)) return entries[specifier] as string;
    const [key, address] =
      Object.entries(entries)
        .filter(([prefix]) => prefix.endsWith('/') && specifier.startsWith(prefix))
        .sort(([a], [b]) => b.length - a.length)[0] ?? [];
    if (key !== undefined && address !== undefined) return `${address}${specifier.slice(key.length)}`;
    const found = subpathOf(entries, specifier);
    if (found !== null) return found;
  }
  return null;
}

/** Deno lets `"zod": "npm:zod@4"` also map `zod/mini`. */
function subpathOf(entries: Readonly<Record<string, string>>, specifier: string): string | null {
  for (const [key, address] of Object.entries(entries)) {
    if (specifier.startsWith(`${key}/`) && /^(?:npm|jsr):/.test(address)) {
      return `${address}/${specifier.slice(key.length + 1)}`;
    }
  }
  return null;
}
