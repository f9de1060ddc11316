import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadePackage, type NpmRegistry, startNpmRegistry } from '../../../test/support/npm-registry.ts';
import { AddressPolicy } from '../../jobs/public-address.ts';
import type { BundleError } from './bundle-error.ts';
import { bundleFunction, type FunctionCode } from './bundle-function.ts';

/** Returns a package with files, and links as `name -> target`. */
function made(
  name: string,
  files: Record<string, string>,
  links: Record<string, string> = {},
  more: object = {},
): MadePackage {
  const manifest = { name, version: '1.0.0', main: 'index.js', ...more };
  const block = (path: string, body: Buffer, type: 'File' | 'SymbolicLink', linkpath?: string) => {
    const header = new Header({
      path: `package/${path}`,
      mode: 0o644,
      size: body.length,
      type,
      ...(linkpath && { linkpath }),
    });
    const head = Buffer.alloc(512);
    header.encode(head, 0);
    return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
  };
  const blocks = [
    ...Object.entries({ 'package.json': JSON.stringify(manifest), ...files }).map(([path, text]) =>
      block(path, Buffer.from(text), 'File'),
    ),
    ...Object.entries(links).map(([path, target]) => block(path, Buffer.alloc(0), 'SymbolicLink', target)),
  ];
  return { manifest, tarball: gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])) };
}

let registry: NpmRegistry;
let web: Server;
let webUrl: string;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bundle-')));
  registry = await startNpmRegistry([
    made('uses-old', { 'index.js': 'module.exports = "uses " + require("old");' }, {}, { dependencies: { old: '^1' } }),
    made('old', { 'index.js': 'module.exports = "old";' }),
    made('optional', {
      'index.js': 'try { module.exports = require("not-installed") } catch { module.exports = "without" }',
    }),
    made('builtin', { 'index.js': 'module.exports = require("path").join("a", "b");' }),
    made('reads-absolute', { 'index.js': 'module.exports = require("/etc/passwd.json");' }),
    made('reads-relative', { 'index.js': 'module.exports = require("../../../../../../../../../etc/hosts.js");' }),
    made('linked', { 'index.js': 'module.exports = require("./link.js");' }, { 'link.js': '/etc/hostname' }),
    made('git-dependency', { 'index.js': '' }, {}, { dependencies: { far: 'git+ssh://git@example.com/far.git' } }),
    made('marked', {
      'index.js':
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = function own() {}; exports.word = "marked";',
    }),
    made('unmarked', { 'index.js': 'module.exports = () => "called"; module.exports.word = "unmarked";' }),
    made(
      'imports-marked',
      {
        'index.js':
          'import marked, { word } from "marked"; export const parts = [typeof marked.default, word]; export default parts;',
      },
      {},
      { type: 'module', dependencies: { marked: '^1' } },
    ),
    made('without-default', { 'index.mjs': 'export const word = "named";' }, {}, { main: 'index.mjs' }),
    made('native', { 'index.js': 'module.exports = require("./build.node");', 'build.node': 'ELF' }),
  ]);
  web = createServer((request, response) => {
    if (request.url === '/redirect.ts') response.writeHead(302, { location: '/module.ts' }).end();
    else if (request.url === '/module.ts')
      response.writeHead(200, { 'content-type': 'application/typescript' }).end('export const word: string = "web";');
    else if (request.url === '/@a/b/meta.json')
      response.end('{"latest":"1.2.0","versions":{"1.2.0":{},"1.3.0":{"yanked":true}}}');
    else if (request.url === '/@a/b/1.2.0_meta.json') response.end('{"exports":{".":"./mod.ts","./sub":"./sub.ts"}}');
    else if (request.url === '/@a/b/1.2.0/sub.ts')
      response.end('import { far } from "./far.ts"; export const sub: string = far;');
    else if (request.url === '/@a/b/1.2.0/far.ts') response.end('export const far = "from jsr";');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  webUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await registry.close();
  web.close();
  await rm(folder, { recursive: true });
});

const open = () => new AddressPolicy([{ address: '127.0.0.1', bits: 32, port: null }]);
const bundle = (code: string, files: FunctionCode['files'] = {}, policy = open()) =>
  bundleFunction(
    { files: { 'f/index.ts': code, ...files }, entrypoint: 'f/index.ts' },
    { policy, folder, npmRegistry: registry.url, jsrRegistry: webUrl },
  );

/** Bundles and runs code that exports `result`. */
async function resultOf(code: string, files: FunctionCode['files'] = {}): Promise<unknown> {
  const { code: bundled } = await bundle(code, files);
  return (
    (await import(`data:text/javascript;base64,${Buffer.from(bundled).toString('base64')}`)) as { result: unknown }
  ).result;
}

/** Returns the messages of the faults. */
const faults = (code: string, policy?: AddressPolicy): Promise<string> =>
  bundle(code, {}, policy).then(
    () => 'bundled',
    (error: unknown) =>
      (error as BundleError).faults.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n'),
  );

describe('bundleFunction', () => {
  it('makes the entrypoint the main module, and no other', async () => {
    const files = { 'f/other.ts': 'export const isMain = import.meta.main === true;' };
    const code = 'import { isMain } from "./other.ts"; export const result = [import.meta.main, isMain];';
    expect(await resultOf(code, files)).toEqual([true, false]);
  });

  it('installs packages with their dependencies, and lets a package do without an optional one', async () => {
    expect(
      await resultOf(
        'import a from "npm:uses-old"; import b from "npm:optional@1"; import c from "npm:builtin"; export const result = [a, b, c];',
      ),
    ).toEqual([...['uses old', 'without', 'a/b']]);
  });

  it('gives all exports of a CommonJS package as its default export, as Deno and Node.js do, to functions and to packages', async () => {
    const code = `import marked, { word } from "npm:marked"; import called, { word as other } from "npm:unmarked";
      import parts, { parts as again } from "npm:imports-marked"; import * as named from "npm:without-default";
      const later = await import("npm:marked");
      export const result = [typeof marked.default, word, called(), other, parts, again === parts, named.word, typeof later.default.default];`;
    const marked = ['function', 'marked'];
    expect(await resultOf(code)).toEqual([...marked, 'called', 'unmarked', marked, true, 'named', 'function']);
  });

  it('loads modules of the web, also behind a redirect, and modules of JSR', async () => {
    expect(
      await resultOf(
        `import { word } from '${webUrl}/redirect.ts'; import { sub } from 'jsr:@a/b@^1/sub'; export const result = [word, sub];`,
      ),
    ).toEqual(['web', 'from jsr']);
  });

  it('loads no module from an address that is not public', async () => {
    const closed = new AddressPolicy([]);
    expect(await faults(`import { word } from '${webUrl}/module.ts'; console.log(word);`, closed)).toContain(
      'has no public address',
    );
    expect(await faults(`import { word } from 'http://169.254.169.254/x.ts'; console.log(word);`, closed)).toContain(
      'has no public address',
    );
  });

  it.each(['reads-absolute', 'reads-relative', 'linked'])(
    'lets the package %s read no file of the node',
    async (name) => {
      const { code } = await bundle(`import a from 'npm:${name}'; console.log(a);`).catch((error: BundleError) => ({
        code: error.message,
      }));
      expect(code).toMatch(/Cannot find module|leads out of its package/);
      expect(code).not.toContain('localhost');
    },
  );

  it('refuses dependencies that are in no registry, and native code', async () => {
    expect(await faults('import a from "npm:git-dependency"; console.log(a);')).toContain('is not in a registry');
    expect(await faults('import a from "npm:native"; console.log(a);')).toContain('is native code');
  });

  it('names the file and the line of an import that cannot be loaded', async () => {
    expect(await faults('\n\nimport a from "./missing.ts"; console.log(a);')).toBe(
      'f/index.ts:3 The file f/missing.ts was not sent. Import only files of the functions folder.',
    );
    expect(await faults('import a from "file:///etc/hostname" with { type: "text" }; console.log(a);')).toMatch(
      /^f\/index\.ts:1 /,
    );
    expect(await faults('import a from "npm:uses-old@9"; console.log(a);')).toBe(
      'f/index.ts:1 npm has no version of uses-old that fits “9”.',
    );
  });

  it('names the variables that the code reads', async () => {
    const { reads } = await bundle('Deno.env.get("A_KEY"); Deno.env.get(\'B\'); process.env.C_KEY; export {};');
    expect(reads).toEqual(['A_KEY', 'B', 'C_KEY']);
  });
});
