import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OnLoadResult } from 'esbuild';
import { parseJson } from './specifier.ts';

/** Files of packages that can be modules of CommonJS or ECMAScript: also those without an ending. */
export const isScript = /(?:^|[/\\])[^./\\]*$|\.[cm]?[jt]sx?$/;

/**
 * Returns a module between a function and a module of a package, for what Node.js and Deno define: the default export of a
 * CommonJS module is all that it exports. esbuild takes a property `default` instead if the importing module is not known
 * to be one of Node.js.
 */
export async function loadPackage(path: string): Promise<OnLoadResult> {
  const file = JSON.stringify(path);
  const isEsm = await isModuleOfEcmaScript(path);
  const contents = isEsm
    ? `import * as all from ${file}; export * from ${file}; export default all.default;`
    : `const all = require(${file}); export * from ${file}; export default all;`;
  return { contents, loader: 'js', resolveDir: dirname(path) };
}

/** Returns true for a module with import and export; false for one of CommonJS (Node.js, "Determining module system"). */
async function isModuleOfEcmaScript(path: string): Promise<boolean> {
  if (/\.m[jt]s$/.test(path)) return true;
  if (/\.c[jt]s$/.test(path)) return false;
  if ((await typeOfPackage(dirname(path))) === 'module') return true;
  return /(?:^|[;}])\s*(?:import\s*["'{*]|import\s+\w|export\s*[{*]|export\s+(?:default|const|let|var|function|class|async)\b)/m.test(
    await readFile(path, 'utf8'),
  );
}

/** Returns the member `type` of the next package.json above a folder; undefined without one. */
async function typeOfPackage(folder: string): Promise<unknown> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
  if (text !== null) return (parseJson(text) as { type?: unknown } | null)?.type;
  return basename(dirname(folder)) === 'node_modules' || dirname(folder) === folder
    ? undefined
    : typeOfPackage(dirname(folder));
}
