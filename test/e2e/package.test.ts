import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { clone } from '../support/clone.ts';
import { startNode } from '../support/node.ts';
import { makeTestFolder, makeTestHome } from '../support/test-folder.ts';

/** Maximum sizes in bytes: of the package as npm downloads it, and of its files. */
const LARGEST_PACKAGE = 9_000_000;
const LARGEST_CONTENT = 18_000_000;

/** Fields of the output of `npm pack --json` (npm documentation, "npm-pack"). */
interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

const run = promisify(execFile);

let folder: string;
let packed: Packed;
beforeAll(async () => {
  folder = await makeTestFolder('package');
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: clone });
  const result: Packed[] | Record<string, Packed> = JSON.parse(stdout);
  [packed] = Object.values(result) as [Packed];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('npm pack', () => {
  it('packs the built server and pages without sources, source maps and tools, below a maximum size', () => {
    const paths = packed.files.map(({ path }) => path);
    const allowed = /^(?:LICENSE|README\.md|package\.json|bin\/(?:ninefold\.js|node-version\.mjs)|dist\/[^.].*)$/;
    expect(paths.filter((path) => !allowed.test(path) || /\.(?:map|tsx?|sql)$/.test(path))).toEqual([]);
    expect(paths).toContain('dist/web/index.html');
    expect(paths).toContain('dist/portal/index.html');
    expect(packed.size).toBeLessThan(LARGEST_PACKAGE);
    expect(packed.unpackedSize).toBeLessThan(LARGEST_CONTENT);
  });

  it('packs a server that imports only packages that an installation contains', async () => {
    const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8'));
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
    const files = (await readdir(join(clone, 'dist'))).filter((name) => name.endsWith('.js'));
    const imported = await Promise.all(files.map(async (name) => importedBy(join(clone, 'dist', name))));
    expect([...new Set(imported.flat())].filter((name) => !installed.has(name))).toEqual([]);
  });
});

describe('the installed package', () => {
  it('starts a node from an empty folder without a build, and serves members and pages', async (context) => {
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
    const install = run('npm', ['install', ...options, join(folder, packed.filename)], { cwd: folder });
    const failure = await install.then(
      () => '',
      (error: Error & { stderr: string }) => error.stderr,
    );
    if (/\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT)\b/.test(failure)) context.skip('npm reaches no registry.');
    expect(failure).not.toContain('npm error');
    const home = await makeTestHome('package');
    const program = join(folder, 'node_modules/.bin/ninefold');
    const node = await startNode({ home, shell: `cd '${folder}' && exec '${program}' start` });
    try {
      expect((await fetch(`${node.url}/health`)).status).toBe(200);
      const pages = await fetch(`${node.url}/`, { headers: { accept: 'text/html' } });
      expect([pages.status, await pages.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
      const app = await createApp(node);
      expect((await signUpMember(app)).user.id).toEqual(expect.any(String));
    } finally {
      await node.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
});

/** Returns the names of the packages that a built file imports. */
async function importedBy(file: string): Promise<string[]> {
  const imports = (await readFile(file, 'utf8')).matchAll(
    /^(?:import|export)\b[^"'\n]*["']([^"'\n]+)["'];$|\bimport\("([^"\n]+)"\)/gm,
  );
  return [...imports]
    .map(([, fixed, dynamic]) => fixed ?? dynamic ?? '')
    .filter((name) => !/^(?:\.|node:)/.test(name) && !builtinModules.includes(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}
