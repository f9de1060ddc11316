/**
 * Builds everything that runs: the server as dist/ninefold.js, dist/specification-process.js, dist/body-parser.js,
 * dist/database-proxy.js, dist/image-process.js, dist/wasm-dump.js, dist/backup-process.js, dist/function-process.js, dist/bundle-process.js and dist/function-runtime.js, with shared and rarely used modules in files beside them; the console as static files in
 * dist/web; and the pages for members in dist/portal. Each result replaces the old one as a whole, so that a process
 * that starts during a build never reads a partial one.
 *
 * As a command: `node scripts/build.mjs [server] [web]`; without arguments it builds both.
 */
import '../bin/node-version.mjs';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { recordBuilt, sourcesOf } from './build-stamp.mjs';
import { precompress } from './precompress.mjs';
import { runningFrom } from './running-nodes.mjs';

export const names = { server: 'the server', web: 'the web pages' };

/**
 * @param {string} root The clone.
 * @param {'server' | 'web'} target
 * @throws {Error} with the compiler's own message.
 */
export async function build(root, target) {
  const sources = sourcesOf(root, target);
  await (target === 'server' ? buildServer(root, sources) : buildWeb(root));
  recordBuilt(root, target, sources);
}

async function buildServer(root, sources) {
  const esbuild = await import('esbuild');
  const dist = join(root, 'dist');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'src/main.ts', out: 'ninefold' },
      { in: 'src/specification/serve/process/process-main.ts', out: 'specification-process' },
      { in: 'src/rest/request/body-parser-thread.ts', out: 'body-parser' },
      { in: 'src/postgres/database-proxy-thread.ts', out: 'database-proxy' },
      { in: 'src/storage/images/image-process-main.ts', out: 'image-process' },
      { in: 'src/apps/transfer/wasm-dump-thread.ts', out: 'wasm-dump' },
      { in: 'src/compose/backup-process-main.ts', out: 'backup-process' },
      { in: 'src/compose/function-process-main.ts', out: 'function-process' },
      { in: 'src/compose/bundle-process-main.ts', out: 'bundle-process' },
    ],
    // The names contain a hash of the content, and these files are put in place first. So ninefold.js never loads
    // parts of another build.
    chunkNames: 'server-[hash]',
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    loader: { '.sql': 'text' },
    define: { NINEFOLD_BUILD: JSON.stringify(sources.slice(0, 8)) },
    logLevel: 'silent',
    write: false,
  });
  // Deno runs this file alone, without the files beside it.
  const runtime = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [{ in: 'src/functions/runtime/bootstrap.ts', out: 'function-runtime' }],
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    logLevel: 'silent',
    write: false,
  });
  // Otherwise esbuild's helper process would live as long as this process, which may continue as the server.
  await esbuild.stop();
  await mkdir(dist, { recursive: true });
  const results = [...outputFiles, ...runtime.outputFiles].map(({ path, contents }) => ({
    name: basename(path),
    contents,
  }));
  const parts = results.filter(({ name }) => name.startsWith('server-'));
  for (const { name, contents } of [...parts, ...results.filter((result) => !parts.includes(result))]) {
    const fresh = join(dist, `.${name}.${process.pid}`);
    await writeFile(fresh, contents);
    await rename(fresh, join(dist, name));
  }
  await copyFile(join(root, 'src/accounts/passwords/common-passwords.bin'), join(dist, 'common-passwords.bin'));
  // While a node runs from this clone, the old parts of the server are not deleted, because the node still loads them.
  const running = runningFrom(root);
  if (running !== null && running !== process.pid) return;
  const outdated = (await readdir(dist)).filter(
    (name) => name.startsWith('server-') && !parts.some((part) => part.name === name),
  );
  await Promise.all(outdated.map((name) => rm(join(dist, name))));
}

async function buildWeb(root) {
  await buildPages(root, 'web/portal', 'portal');
  await buildPages(root, 'web/console', 'web');
}

/** Builds one web application from its folder into a folder of dist. */
async function buildPages(root, from, to) {
  const dist = join(root, 'dist');
  const source = join(root, from);
  const fresh = join(dist, `.${to}.${process.pid}`);
  await mkdir(fresh, { recursive: true });
  try {
    if (existsSync(join(source, 'index.html'))) {
      const vite = await import('vite');
      const pages = (await readdir(source)).filter((name) => name.endsWith('.html'));
      // Each page is built alone. Together, the pages would share their modules in many small files, and the first load
      // of each would grow.
      for (const page of pages) {
        const rolldownOptions = { input: join(source, page) };
        await vite.build({
          root: source,
          logLevel: 'warn',
          build: { outDir: fresh, emptyOutDir: false, rolldownOptions },
        });
      }
      await precompress(fresh);
    } else {
      process.stderr.write(`${from} has no index.html: there is nothing to build.\n`);
    }
    await replaceFolder(join(dist, to), fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function replaceFolder(folder, fresh) {
  const old = `${fresh}.old`;
  if (existsSync(folder)) await rename(folder, old);
  await rename(fresh, folder);
  await rm(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  try {
    const { prepare } = await import('./prepare.mjs');
    await prepare({ targets: [] });
    for (const target of process.argv.length > 2 ? process.argv.slice(2) : ['server', 'web']) {
      const started = Date.now();
      await build(root, target);
      console.log(`Built ${names[target]} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
    }
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
