import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports a TypeScript module of this clone, which Node.js 20 cannot do itself: bundles it with its imports from the
 * clone; packages are not bundled.
 *
 * @param {string} path Below the clone.
 * @returns {Promise<Record<string, unknown>>} Its exports.
 */
export async function importTypeScript(path) {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    loader: { '.sql': 'text' },
    write: false,
  });
  // The file is written below the clone, so that Node.js finds its packages in node_modules.
  const folder = join(root, '.tmp/typescript');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${basename(path, '.ts')}-${process.pid}.mjs`);
  await writeFile(file, outputFiles[0].contents);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(file);
  }
}
