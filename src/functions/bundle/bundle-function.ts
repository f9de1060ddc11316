import { readFile, realpath } from 'node:fs/promises';
import { dirname, extname, posix, sep } from 'node:path';
import type {
  BuildFailure,
  Loader,
  Message,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  PartialMessage,
  Plugin,
  PluginBuild,
} from 'esbuild';
import type { BundleFault } from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { BundleError, ImportError } from './bundle-error.ts';
import { type Downloaded, type Downloads, download } from './download.ts';
import { type ModuleCode, withoutPatterns, withoutSourceMap } from './dynamic-imports.ts';
import { JsrPackages } from './jsr-packages.ts';
import { NpmPackages } from './npm-packages.ts';
import { isScript, loadPackage } from './package-module.ts';
import {
  emptyImportMap,
  type ImportMap,
  isStandardServer,
  isTypesOnly,
  mapSpecifier,
  nodeModule,
  packageOfUrl,
  parseJson,
  parsePackage,
  readImportMap,
} from './specifier.ts';

/** Milliseconds of a second. */
const MILLISECONDS = 1000;
/** Faults that a deployment reports. */
const MAX_FAULTS = 20;

/** The code of a function as it was sent. */
export interface FunctionCode {
  /** The text of each file by its path, without a leading slash. */
  readonly files: Readonly<Record<string, string>>;
  readonly entrypoint: string;
  /** The path of deno.json or of an import map; absent without one. */
  readonly importMap?: string | undefined;
}

/** Where a deployment loads packages from. */
export interface Registries {
  readonly npmRegistry: string;
  readonly jsrRegistry: string;
}

/** The registries, the policy for addresses and the folder that a bundle uses. */
interface BundleSources extends Registries {
  readonly policy: AddressPolicy;
  /** An empty folder that only this bundle uses, without symbolic links in its path. */
  readonly folder: string;
}

/** A bundled function. */
export interface Bundle {
  /** One JavaScript module. Its only imports are modules of Node.js. */
  readonly code: string;
  /** Names of environment variables that the files of the function read. */
  readonly reads: readonly string[];
}

/** Names of the places that a module comes from, as esbuild's namespaces. */
const SOURCE = 'source';
const REMOTE = 'remote';
const EMPTY = 'empty';
const STANDARD_SERVER = 'standard-server';
const MISSING = 'missing';
const PACKAGE = 'package';
const ENTRY = 'entry';

/**
 * Bundles a function with everything that it imports into one module. Files come from memory, packages of npm from a folder that only this
 * bundle uses, and modules of the web from public addresses. No code of the function or of a package runs.
 * @throws BundleError with file, line and sentence of each fault
 */
export async function bundleFunction(code: FunctionCode, sources: BundleSources): Promise<Bundle> {
  const { policy, folder, npmRegistry, jsrRegistry } = sources;
  const downloads = boundedDownloads(policy);
  const importMap = readMapOf(code);
  const npm = new NpmPackages(folder, npmRegistry, downloads, packagesOf(code, importMap));
  const jsr = new JsrPackages(jsrRegistry, downloads);
  const resolver = new Resolver({ code, importMap, downloads, folder, npm, jsr });
  const output = await runEsbuild(code, resolver.plugin(), folder);
  return { code: output, reads: variablesOf(code) };
}

function boundedDownloads(policy: AddressPolicy): Downloads {
  let total = 0;
  return {
    policy,
    // `bundleInProcess` reports a deployment that takes too long; this one only ends the downloads of a bundle without that process.
    signal: AbortSignal.timeout(limits.functionBundleSeconds.default * MILLISECONDS),
    count: (bytes) => {
      total += bytes;
      if (total > limits.functionPackageBytes.default) {
        throw new ImportError(
          `The packages are larger than the limit functionPackageBytes (${limits.functionPackageBytes.default} bytes).`,
        );
      }
    },
  };
}

async function runEsbuild(
  { entrypoint, files, importMap }: FunctionCode,
  plugin: Plugin,
  folder: string,
): Promise<string> {
  const esbuild = await import('esbuild');
  const jsx = jsxOptions(importMap === undefined ? undefined : files[importMap]);
  const result = await esbuild
    .build({
      // A fixed name: esbuild reads some paths as patterns for files of this machine.
      entryPoints: [ENTRY],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'esnext',
      conditions: ['deno'],
      treeShaking: true,
      sourcemap: 'inline',
      sourcesContent: false,
      legalComments: 'none',
      // Without this, esbuild would read files tsconfig.json of the node.
      tsconfigRaw: '{}',
      absWorkingDir: dirname(folder),
      logLevel: 'silent',
      logLimit: MAX_FAULTS,
      plugins: [plugin],
      ...jsx,
    })
    .catch((error: BuildFailure) => {
      throw Array.isArray(error.errors) ? new BundleError(error.errors.map(faultOf)) : error;
    });
  const [output] = result.outputFiles;
  if (!output) throw new BundleError([{ file: entrypoint, line: null, message: 'The bundle is empty.' }]);
  if (output.contents.length > limits.functionBundleBytes.default) {
    throw new BundleError([
      {
        file: null,
        line: null,
        message: `The bundle has ${output.contents.length} bytes; the limit functionBundleBytes is ${limits.functionBundleBytes.default}.`,
      },
    ]);
  }
  const requires = Object.values(result.metafile.outputs).some(({ imports }) =>
    imports.some(({ kind, external }) => external && kind === 'require-call'),
  );
  return requires ? `${REQUIRE}${output.text}` : output.text;
}

/** Packages in the form of CommonJS load modules of Node.js with `require`. It stands on the first line, so that no other line moves. */
const REQUIRE =
  'import { createRequire as ninefoldRequire } from "node:module"; const require = ninefoldRequire("file:///function.js"); ';

function faultOf({ text, location, detail }: Message): BundleFault {
  const file =
    location?.file
      .replace(/^(?:source|remote):/, '')
      .replace(/^ninefold-bundle-\w+\/([^/]+)\/node_modules\/(?:@[^/]+\/)?[^/]+/, 'npm:$1') ?? null;
  return { file, line: location?.line ?? null, message: detail instanceof ImportError ? detail.message : text };
}

/** Reads the options of JSX in deno.json. */
function jsxOptions(text: string | undefined): { jsx?: 'automatic' | 'transform'; jsxImportSource?: string } {
  const options = (text === undefined ? null : parseJson(text)) as { compilerOptions?: Record<string, unknown> } | null;
  const { jsx, jsxImportSource: source } = options?.compilerOptions ?? {};
  return {
    ...(typeof jsx === 'string' && {
      jsx: jsx.startsWith('react-jsx') || jsx === 'precompile' ? 'automatic' : 'transform',
    }),
    ...(typeof source === 'string' && { jsxImportSource: source }),
  };
}

function readMapOf({ files, importMap }: FunctionCode): ImportMap {
  if (importMap === undefined) return emptyImportMap;
  const value = parseJson(files[importMap] ?? '');
  if (value === null) throw new BundleError([{ file: importMap, line: null, message: 'The file is no JSON.' }]);
  const map = readImportMap(value);
  const other = (value as { importMap?: unknown }).importMap;
  // deno.json can name another file with the map.
  const named =
    typeof other === 'string' ? files[posix.normalize(posix.join(posix.dirname(importMap), other))] : undefined;
  return named === undefined ? map : readImportMap(parseJson(named));
}

const NPM_SPECIFIER = /\bnpm:\/?((?:@[\w.~-]+\/)?[\w.~-]+)@([^/"'`\s]+)/g;

/** Returns the ranges of packages that the files and the import map name. */
function packagesOf({ files }: FunctionCode, importMap: ImportMap): ReadonlyMap<string, string> {
  const text = [...Object.values(files), ...Object.values(importMap.imports)].join('\n');
  return new Map([...text.matchAll(NPM_SPECIFIER)].map(([, name = '', range = '']) => [name, range]));
}

const VARIABLE = /\b(?:Deno\.env\.get\(\s*["'`]|process\.env\.|process\.env\[\s*["'`])([A-Za-z_]\w*)/g;

function variablesOf({ files }: FunctionCode): readonly string[] {
  const names = Object.values(files).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
  return [...new Set(names)].sort();
}

interface ResolverParts {
  readonly code: FunctionCode;
  readonly importMap: ImportMap;
  readonly downloads: Downloads;
  /** The folder with the packages of npm. */
  readonly folder: string;
  readonly npm: NpmPackages;
  readonly jsr: JsrPackages;
}

/** Marks a resolution that the plugin itself asks esbuild for. */
const ASKED = { isAsked: true };

/** Decides what each import of a bundle means. Nothing but the files of the function and of its packages can be read. */
class Resolver {
  readonly #parts: ResolverParts;
  readonly #modules = new Map<string, Promise<Downloaded>>();

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  plugin(): Plugin {
    return {
      name: 'ninefold',
      setup: (build) => {
        build.onResolve({ filter: /.*/ }, (args) =>
          args.pluginData === ASKED ? undefined : this.#resolve(build, args).catch(asFault),
        );
        build.onLoad({ filter: /.*/, namespace: SOURCE }, ({ path, with: attributes }) =>
          this.#loadSource(build, path, attributes).catch(asFault),
        );
        build.onLoad({ filter: /.*/, namespace: REMOTE }, ({ path, with: attributes }) =>
          this.#loadRemote(build, path, attributes).catch(asFault),
        );
        build.onLoad({ filter: /.*/, namespace: PACKAGE }, ({ path }) => loadPackage(path).catch(asFault));
        build.onLoad({ filter: /.*/, namespace: EMPTY }, () => ({ contents: 'export {};', loader: 'js' }));
        build.onLoad({ filter: /.*/, namespace: MISSING }, ({ path }) => ({
          contents: missingModule(path),
          loader: 'js',
        }));
        build.onLoad({ filter: /.*/, namespace: STANDARD_SERVER }, () => ({
          contents: STANDARD_SERVER_CODE,
          loader: 'js',
        }));
        build.onLoad({ filter: /\.node$/, namespace: 'file' }, ({ path }) => ({
          errors: [
            { text: `${path.slice(this.#parts.folder.length + 1)} is native code, which edge functions cannot run.` },
          ],
        }));
        build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path, with: attributes }) =>
          this.#loadFile(build, path, attributes).catch(asFault),
        );
      },
    };
  }

  async #resolve(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    if (args.kind === 'entry-point') return { path: this.#parts.code.entrypoint, namespace: SOURCE };
    if (args.namespace === PACKAGE) return undefined;
    if (args.namespace === 'file') return this.#resolveInPackage(build, args);
    const mapped = args.namespace === SOURCE ? mapSpecifier(this.#parts.importMap, args.path, args.importer) : null;
    // Addresses in the map are relative to its file.
    const base = mapped === null ? args.importer : (this.#parts.code.importMap ?? '');
    return this.#resolveSpecifier(build, args, mapped ?? args.path, base);
  }

  async #resolveSpecifier(
    build: PluginBuild,
    args: OnResolveArgs,
    specifier: string,
    base: string,
  ): Promise<OnResolveResult> {
    if (isTypesOnly(specifier)) return { path: specifier, namespace: EMPTY };
    const builtin = nodeModule(specifier);
    if (builtin !== null) return { path: builtin, external: true };
    if (specifier.startsWith('npm:')) return this.#resolveNpm(build, args, specifier.slice('npm:'.length));
    if (specifier.startsWith('jsr:')) return this.#resolveJsr(build, args, specifier.slice('jsr:'.length));
    if (/^https?:\/\//.test(specifier)) return this.#resolveUrl(build, args, new URL(specifier));
    if (specifier.startsWith('data:')) return { path: specifier, external: true };
    if (/^\.{0,2}\//.test(specifier)) {
      if (args.namespace === REMOTE) return this.#resolveUrl(build, args, new URL(specifier, args.importer));
      const path = posix.normalize(posix.join(posix.dirname(base), specifier));
      const found = [path, `${path}.ts`, `${path}.tsx`, `${path}.js`, `${path}/index.ts`].find((each) =>
        Object.hasOwn(this.#parts.code.files, each),
      );
      if (found !== undefined) return { path: found, namespace: SOURCE };
      throw new ImportError(`The file ${path} was not sent. Import only files of the functions folder.`);
    }
    throw new ImportError(`“${specifier}” is in no import map. Write npm:${specifier}, or add it to deno.json.`);
  }

  async #resolveUrl(build: PluginBuild, args: OnResolveArgs, url: URL): Promise<OnResolveResult> {
    if (isStandardServer(url.href)) return { path: url.href, namespace: STANDARD_SERVER };
    const specifier = packageOfUrl(url);
    if (specifier === url.href) return { path: url.href, namespace: REMOTE };
    if (!specifier.startsWith('npm:')) return this.#resolveSpecifier(build, args, specifier, args.importer);
    // Such a server sends the property `default` of a CommonJS package as its default export, as esbuild does by itself.
    return this.#findNpm(build, args, specifier.slice('npm:'.length));
  }

  async #resolveNpm(build: PluginBuild, args: OnResolveArgs, text: string): Promise<OnResolveResult> {
    const found = await this.#findNpm(build, args, text);
    const isImport = args.kind === 'import-statement' || args.kind === 'dynamic-import';
    const isModule = found.namespace === 'file' && isScript.test(found.path ?? '') && args.with.type === undefined;
    return isImport && isModule ? { ...found, namespace: PACKAGE } : found;
  }

  async #findNpm(build: PluginBuild, { kind }: OnResolveArgs, text: string): Promise<OnResolveResult> {
    const { name, range, path } = parsePackage(text);
    const builtin = nodeModule(name);
    if (builtin !== null) return { path: builtin, external: true };
    const resolveDir = await this.#parts.npm.install(name, range);
    return this.#askEsbuild(build, `${name}${path === '' ? '' : `/${path}`}`, { kind, resolveDir, importer: '' });
  }

  async #resolveJsr(build: PluginBuild, args: OnResolveArgs, text: string): Promise<OnResolveResult> {
    const request = parsePackage(text);
    // Supabase publishes the same packages at both registries.
    if (request.name.startsWith('@supabase/')) return this.#resolveNpm(build, args, text);
    return { path: await this.#parts.jsr.find(request), namespace: REMOTE };
  }

  /** Resolves an import of a package. The result must be in the folder of the packages. */
  async #resolveInPackage(
    build: PluginBuild,
    { path, kind, resolveDir, importer }: OnResolveArgs,
  ): Promise<OnResolveResult | undefined> {
    const builtin = nodeModule(path);
    if (builtin !== null) return { path: builtin, external: true };
    if (path.startsWith('npm:')) return this.#findNpm(build, { kind } as OnResolveArgs, path.slice('npm:'.length));
    const found = await this.#askEsbuild(build, path, { kind, resolveDir, importer });
    // Packages try optional dependencies and catch the error.
    if (found.errors) return kind === 'import-statement' ? found : { path, namespace: MISSING };
    // esbuild resolves it once more: it notes the type of a module only if no plugin gives its path.
    return found.namespace === 'file' ? undefined : found;
  }

  async #askEsbuild(
    build: PluginBuild,
    path: string,
    { kind, resolveDir, importer }: Pick<OnResolveArgs, 'kind' | 'resolveDir' | 'importer'>,
  ): Promise<OnResolveResult> {
    const result = await build.resolve(path, { kind, resolveDir, importer, namespace: 'file', pluginData: ASKED });
    if (result.errors.length > 0) return { errors: result.errors };
    if (result.external || (result.namespace !== 'file' && result.namespace !== '')) {
      return { path: result.path, namespace: result.namespace, external: result.external };
    }
    const real = await realpath(result.path).catch(() => result.path);
    if (!real.startsWith(`${this.#parts.folder}${sep}`)) {
      throw new ImportError(`“${path}” leads out of its package.`);
    }
    return { path: result.path, namespace: 'file', sideEffects: result.sideEffects };
  }

  async #loadSource(
    build: PluginBuild,
    path: string,
    attributes: Readonly<Record<string, string>>,
  ): Promise<OnLoadResult> {
    const { files, entrypoint } = this.#parts.code;
    const source = files[path] ?? '';
    // The entrypoint is the main module, although the bundle that contains it is loaded by an import.
    const contents = path === entrypoint ? source.replaceAll(/\bimport\.meta\.main\b/g, 'true') : source;
    return safeModule(build, { contents, loader: loaderOf(path, attributes, '') }, path);
  }

  /** Loads a file of a package. esbuild loads any file by itself that it finds without asking for its path. */
  async #loadFile(
    build: PluginBuild,
    path: string,
    { type }: Readonly<Record<string, string>>,
  ): Promise<OnLoadResult | undefined> {
    const real = await realpath(path);
    if (!real.startsWith(`${this.#parts.folder}${sep}`)) throw new ImportError('A package reads a file outside of it.');
    const loader = extname(path) === '.css' ? 'css' : (loaders[extname(path)] ?? 'js');
    if (type !== undefined || loader === 'json' || loader === 'binary') return undefined;
    if (!isCode.test(path)) return undefined;
    const contents = await readFile(real, 'utf8');
    const module = await safeModule(build, { contents, loader }, path);
    return module.contents === contents ? undefined : { ...module, resolveDir: dirname(path) };
  }

  async #loadRemote(
    build: PluginBuild,
    address: string,
    attributes: Readonly<Record<string, string>>,
  ): Promise<OnLoadResult> {
    const known = this.#modules.get(address) ?? download(address, this.#parts.downloads);
    this.#modules.set(address, known);
    const { url, contentType, bytes } = await known;
    const loader = loaderOf(new URL(url).pathname, attributes, contentType);
    if (loader === 'binary') return { contents: bytes, loader };
    return safeModule(build, { contents: bytes.toString('utf8'), loader }, address);
  }
}

/** Returns a module in which esbuild finds no other file of this machine. */
const safeModule = ({ esbuild }: PluginBuild, { contents, loader }: ModuleCode, file: string): Promise<ModuleCode> =>
  withoutPatterns(
    { contents: loader === 'text' || loader === 'json' ? contents : withoutSourceMap(contents), loader },
    file,
    esbuild,
  );

/** Files of packages that esbuild reads as code: also those without an ending. */
const isCode = /(?:^|[/\\])[^./\\]*$|\.(?:[cm]?[jt]sx?|css)$/;

/** Turns an error of an import into one of esbuild, which adds file and line. */
function asFault(error: unknown): { errors: PartialMessage[] } {
  if (error instanceof ImportError) return { errors: [{ text: error.message, detail: error }] };
  // Code that cannot be read has the faults of esbuild.
  const { errors } = error as Partial<BuildFailure>;
  if (Array.isArray(errors)) return { errors };
  throw error;
}

const loaders: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.json': 'json',
  '.wasm': 'binary',
};

function loaderOf(path: string, attributes: Readonly<Record<string, string>>, contentType: string): Loader {
  if (attributes.type === 'json') return 'json';
  if (attributes.type === 'text') return 'text';
  if (attributes.type === 'bytes') return 'binary';
  const byType = /typescript/.test(contentType) ? 'ts' : /json/.test(contentType) ? 'json' : null;
  return loaders[extname(path)] ?? byType ?? (contentType === '' ? 'text' : 'js');
}

/** A module that fails when it is loaded, as a missing one does in Node.js. */
const missingModule = (path: string): string =>
  `throw Object.assign(new Error(${JSON.stringify(`Cannot find module '${path}'`)}), { code: 'MODULE_NOT_FOUND' });`;

/** `serve` of the former standard library calls Deno's own server. */
const STANDARD_SERVER_CODE = `export const serve = (handler, options = {}) => Deno.serve(options, handler).finished;
export const serveListener = () => { throw new Error('Use Deno.serve.'); };`;
