import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { FunctionLogLine } from '../../contract/functions.ts';
import { limits } from '../../contract/limits.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { send } from '../support/http.ts';
import { ownNode } from '../support/own-node.ts';
import { makeTestHome } from '../support/test-folder.ts';

/** Edge functions of a hostile owner, and hostile callers of them. */

interface TestPackage {
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const ROOT = '../'.repeat(12);
/** A file of this machine that no bundle may contain. */
let secretFolder: string;
/** A server of this machine that no function may reach. It counts requests. */
let privateServer: Server;
let privatePort = 0;
let privateHits = 0;
let registry: Server;
const packages = new Map<string, TestPackage>();

beforeAll(async () => {
  secretFolder = await makeTestHome('function-secrets');
  await writeFile(join(secretFolder, 'secret.json'), '{"value":"secret of the machine"}');
  privateServer = createServer((_, response) => {
    privateHits++;
    response.end('private');
  }).listen(0, '127.0.0.1');
  registry = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    void answerAsRegistry(name).then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await Promise.all([once(privateServer, 'listening'), once(registry, 'listening')]);
  privatePort = (privateServer.address() as AddressInfo).port;
});

const registryUrl = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

async function answerAsRegistry(path: string): Promise<string | Buffer> {
  const name = path.replace(/\.tgz$/, '');
  const found = packages.get(name);
  if (!found) throw new Error('not found');
  if (name !== path) return tarballOf(name, found);
  const dist = { tarball: `${registryUrl()}/${name}.tgz` };
  const { dependencies = {} } = found;
  return JSON.stringify({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { dist, dependencies } } });
}

async function tarballOf(name: string, { files }: TestPackage): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'test-package-'));
  const all = { 'package.json': JSON.stringify({ name, version: '1.0.0', main: 'index.js' }), ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, 'package', path)), { recursive: true });
    await writeFile(join(folder, 'package', path), text);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of create({ gzip: true, cwd: folder }, ['package'])) chunks.push(chunk as Buffer);
  await rm(folder, { recursive: true });
  return Buffer.concat(chunks);
}

const node = ownNode('functions-attack', () => ({
  NINEFOLD_NPM_REGISTRY: registryUrl(),
  NINEFOLD_JSR_REGISTRY: registryUrl(),
  NINEFOLD_FUNCTION_PROCESSOR_SECONDS: '2',
  NINEFOLD_FUNCTION_SECONDS: '20',
}));
let app: AppConnection;
let other: AppConnection;
beforeAll(async () => {
  [app, other] = await Promise.all([createApp(node), createApp(node)]);
  await deploy('main', 'Deno.serve(() => new Response("other app"));', other);
});
afterAll(async () => {
  privateServer.close();
  registry.close();
  await rm(secretFolder, { recursive: true, force: true });
});

function deploy(name: string, code: string, { ref } = app, files: Record<string, string> = {}, verify = false) {
  return admin(node, 'PUT', `/apps/${ref}/functions/${name}`, {
    files: { 'index.ts': code, ...files },
    entrypoint: 'index.ts',
    verify_jwt: verify,
  });
}

const call = (name: string, init: RequestInit = {}, { url } = app) => fetch(`${url}/functions/v1/${name}`, init);

/** Deploys code that returns an object, and returns what it returns. */
async function run<T = Record<string, string>>(code: string): Promise<T> {
  const name = `f${Math.random().toString(36).slice(2, 10)}`;
  await deploy(
    name,
    `const attempt = async (f) => { try { return String(await f()); } catch (e) { return 'refused: ' + e; } };
    const read = async (connection) => {
      const buffer = new Uint8Array(4000); let text = '';
      for (let n; (n = await connection.read(buffer)) !== null;) { text += new TextDecoder().decode(buffer.subarray(0, n)); if (text.length > 3000) break; }
      return text;
    };
    Deno.serve(async (request) => Response.json(await (async () => { ${code} })()));`,
  );
  const response = await call(name);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as T;
}

const logs = (ref = app.ref) => admin<FunctionLogLine[]>(node, 'GET', `/apps/${ref}/function-logs`);

async function expectOtherAppWorks(): Promise<void> {
  const response = await call('main', {}, other);
  expect([response.status, await response.text()]).toEqual([200, 'other app']);
}

/** Sends bytes to the node and returns everything that it sends back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
  });
}

/** Processes of Deno below the process of this node that runs functions, by the command line of the program. */
async function functionProcesses(): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('--allow-net=255.255.255.255:80') && (await nodeOf(Number(name))) === node.pid)
      found.push(Number(name));
  }
  return found;
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

const nodeOf = async (pid: number): Promise<number> => parentOf(await parentOf(pid));

describe('callers', () => {
  it.each(['DELETE', 'OPTIONS', 'POST', 'GET', 'HEAD'])(
    'cannot replace functions of another app by a body of %s without length',
    async (method) => {
      const victim = await createApp(node);
      await deploy('hi', 'Deno.serve(() => new Response("victim"));', victim);
      await deploy('body', 'Deno.serve(async (r) => new Response(await r.text()));');
      const identity = createHash('sha256').update('[[["hi",1]],{}]').digest('hex').slice(0, 20);
      const body = JSON.stringify({
        ...{ identity, variables: {}, bundles: { hi: 'Deno.serve(() => new Response("taken over"));' } },
        addresses: { urls: [], node: { host: '127.0.0.1', port: 1 }, database: null },
      });
      const second = `PUT /deployments/${victim.ref} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const head = `${method} /apps/${app.ref}/functions/v1/body HTTP/1.1\r\nHost: ${new URL(node.url).host}\r\nConnection: close\r\n`;
      const chunk = `${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
      await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
      await raw(`${head}Content-Length: ${second.length}\r\n\r\n${second}`);
      const response = await call('hi', {}, victim);
      expect(await response.text()).toBe('victim');
    },
  );

  it('cannot set headers of the runtime', async () => {
    await deploy('names', 'Deno.serve((r) => Response.json([r.url, ...r.headers.keys()]));');
    const headers = {
      'x-ninefold-function': 'other',
      'x-ninefold-app': other.ref,
      'x-ninefold-identity': 'x',
      'x-ninefold-url': 'http://evil.example/',
      'x-forwarded-for': '1.2.3.4',
    };
    const [url, ...names] = (await (await call('names', { headers })).json()) as string[];
    expect(new URL(url ?? '').pathname).toBe('/names');
    expect(names.filter((name) => name.startsWith('x-ninefold'))).toEqual([]);
  });

  it.each(['%2e%2e', '..%2fmain', 'ma%00in', '__proto__', 'constructor', 'm'.repeat(3000), '%', '%2F'])(
    'get no function by the name %s',
    async (name) => {
      const { status, headers } = await send(node.url, `/apps/${other.ref}/functions/v1/${name}`);
      expect([400, 404]).toContain(status);
      expect(headers['x-ninefold-error']).toBeUndefined();
    },
  );

  it('need a key or a valid token of the same app if the function verifies callers', async () => {
    await deploy('closed', 'Deno.serve(() => new Response("open"));', app, {}, true);
    const payload = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
    const unsigned = `${payload({ alg: 'none', typ: 'JWT' })}.${payload({ role: 'service_role', exp: 9_999_999_999 })}.`;
    const changed = app.anon_key.replace(/\.[^.]+\./, `.${payload({ role: 'service_role', exp: 9_999_999_999 })}.`);
    for (const token of ['', unsigned, changed, other.anon_key, other.service_role_key, other.secret_key, 'x.y.z']) {
      const response = await call('closed', { headers: token === '' ? {} : { authorization: `Bearer ${token}` } });
      expect([token, response.status]).toEqual([token, 401]);
      await response.body?.cancel();
    }
    const response = await call('closed', { headers: { authorization: `Bearer ${app.anon_key}` } });
    expect(response.status).toBe(200);
  });
});

describe('bundling', () => {
  /** `ROOT` and `NAME` stand for the folder of the secret and an expression in a template. */
  const patterns: [string, string][] = [
    ['a template in import', 'import(`ROOTsecNAME`)'],
    ['an addition in import', 'import("ROOTsec" + x)'],
    ['a comment before the parenthesis', 'import /* ( "a" ) */ // "\n (`ROOTsecNAME`)'],
    ['a spread', '[...await import(`ROOTsecNAME`)]'],
    ['a condition with a regular expression', 'import(/"/ ? "ROOTsec" + x : "1"), "a"'],
    ['require', 'require("ROOTsec" + x)'],
    ['require with types', '(require as any)!(`ROOTsecNAME`)'],
    ['require with an escape sequence', 'requ\\u0069re("ROOTsec" + x)'],
    ['require that may be absent', 'require?.("ROOTsec" + x)'],
  ];
  it.each(patterns)('reads no file of the machine for a pattern with %s', async (_, expression) => {
    const target = expression
      .replaceAll('ROOT', `${ROOT}${secretFolder.slice(1)}/`)
      .replaceAll('NAME', ['$', '{x}'].join(''));
    const response = await deployAndCall(
      `const f = async (x: string) => ${target}; Deno.serve(async () => new Response(await f("ret.json").then(JSON.stringify, String)));`,
    );
    expect(response).not.toContain('secret of the machine');
  });

  it('reads no file of the machine for a pattern in a package', async () => {
    const target = `${ROOT}${secretFolder.slice(1)}/sec`;
    packages.set('patterns', {
      files: {
        'index.js': `module.exports = (x) => [() => import(\`${target}\${x}\`), () => require('${target}' + x)];`,
      },
    });
    const response = await deployAndCall(
      `import f from 'npm:patterns'; Deno.serve(async () => { let text = ''; for (const each of f('ret.json')) text += await (async () => each())().then(JSON.stringify, String); return new Response(text); });`,
    );
    expect(response).not.toContain('secret of the machine');
  });

  it.each(['index.js', 'index.ts'])(
    'reads no endless file that a comment about a source map names in %s',
    async (file) => {
      const comment = `\n//# sourceMappingURL=${file === 'index.js' ? `${ROOT}dev/zero` : 'file:///dev/zero'}`;
      packages.set('endless', { files: { 'index.js': `export default 1;${file === 'index.js' ? comment : ''}` } });
      const begin = performance.now();
      await deployAndCall(`import x from 'npm:endless'; Deno.serve(() => new Response(String(x)));${comment}`);
      expect(performance.now() - begin).toBeLessThan(15_000);
    },
  );

  it('makes no folder or link out of its own folder for the name of a dependency', async () => {
    const planted = join(secretFolder, 'planted');
    packages.set('alias', {
      files: { 'index.js': 'export default 1' },
      dependencies: { [`${ROOT}${planted.slice(1)}/x`]: 'npm:endless@1.0.0' },
    });
    await expect(deploy('hi', `import x from 'npm:alias'; Deno.serve(() => x);`)).rejects.toThrow(
      'no name of a package',
    );
    expect(await readdir(secretFolder)).toEqual(['secret.json']);
  });

  it.each([
    'file:///etc/passwd',
    '/etc/passwd',
    '../../../../../../etc/passwd',
    'source:x',
    'missing:/etc/passwd',
    'constructor',
    '__proto__',
    'https://constructor/x.js',
    'npm:../x',
    'npm:endless@__proto__',
    'http://127.0.0.1:PORT/x.js',
    'http://[::ffff:127.0.0.1]:PORT/x.js',
    'http://localhost:PORT/x.js',
    'http://0x7f.1:PORT/x.js',
  ])('refuses to import %s', async (specifier) => {
    const hits = privateHits;
    const target = specifier.replace('PORT', String(privatePort));
    await expect(deploy('hi', `import x from ${JSON.stringify(target)}; Deno.serve(() => x);`)).rejects.toThrow(
      'function_not_bundled',
    );
    expect(privateHits).toBe(hits);
  });

  it('survives code that ends esbuild', async () => {
    const deep = `${'['.repeat(4_500_000)}${']'.repeat(4_500_000)}`;
    await expect(deploy('hi', `Deno.serve(() => new Response(${deep}));`)).rejects.toThrow('function_not_bundled');
    for (let i = 0; i < 4; i++) await deploy('main', 'Deno.serve(() => new Response("other app"));', other);
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('ninefold-bundle-'));
    await expect.poll(folders).toEqual([]);
  });

  it('lets no app fill the memory of a worker with many large functions', async () => {
    const large = await createApp(node);
    const code = 'Deno.serve(() => new Response("small"));';
    await deploy('first', code, large);
    await deploy('second', code, large);
    // Deploying so much takes long, so the superuser enlarges what is stored.
    const almost = limits.functionsBundleBytes.default - 1000;
    await withClient(await superuserUrl(node, `app_${large.ref}`), (client) =>
      client.query(`update ninefold.function_versions set bundle = repeat('x', ${almost}) where function = 'first'`),
    );
    const long = `${code}//${'x'.repeat(2000)}`.replace('small', 'large'.repeat(300));
    await expect(deploy('second', long, large)).rejects.toThrow('function_limit_reached');
    await expect(deploy('third', long, large)).rejects.toThrow('function_limit_reached');
    await admin(node, 'PATCH', `/apps/${large.ref}/functions/first`, { version: null });
    await deploy('second', long, large);
    const back = admin(node, 'PATCH', `/apps/${large.ref}/functions/first`, { version: 1 });
    await expect(back).rejects.toThrow('too large');
  });

  async function deployAndCall(code: string): Promise<string> {
    try {
      await deploy('hi', code);
    } catch (error) {
      return String(error);
    }
    return (await call('hi')).text();
  }
});

describe('the process of an app', () => {
  it('reaches no address by variables that Deno obeys', async () => {
    const hits = privateHits;
    const proxy = `http://127.0.0.1:${privatePort}`;
    await admin(node, 'PUT', `/apps/${app.ref}/function-secrets`, { HTTP_PROXY: proxy, all_proxy: proxy });
    const found = await run(`
      for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) Deno.env.set(name, '${proxy}');
      const { default: process } = await import('node:process');
      process.env.HTTP_PROXY = '${proxy}';
      const client = Deno.createHttpClient({});
      const native = Object.getPrototypeOf(Deno);
      return {
        value: String(Deno.env.get('HTTP_PROXY')) + process.env.HTTP_PROXY,
        fetch: await attempt(async () => (await fetch('http://255.255.255.255/', { client })).text()),
        wrapped: await attempt(async () => (await new (Object.getPrototypeOf(WebSocket))('ws://255.255.255.255/')).readyState),
        tcp: await attempt(() => native.connect({ hostname: '127.0.0.1', port: ${privatePort} })),
        proxy: await attempt(() => native.createHttpClient({ proxy: { url: '${proxy}' } })),
        named: await attempt(() => { Deno.env.set('LOCALDOMAIN', 'example.com'); return native.connect({ hostname: 'node.invalid', port: 80 }); }),
      };`);
    await admin(node, 'PUT', `/apps/${app.ref}/function-secrets`, { HTTP_PROXY: null, all_proxy: null });
    expect(found.value).toBe('undefinedundefined');
    for (const name of ['tcp', 'proxy', 'named']) expect(found[name]).toMatch(/^refused: NotCapable/);
    expect(found.fetch).not.toBe('private');
    expect(privateHits).toBe(hits);
  });

  it('reaches no private address through the sockets of its folder', async () => {
    const hits = privateHits;
    const found = await run(`
      const hosts = ['127.0.0.1', 'localhost', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254'];
      const result = {};
      for (const host of hosts) {
        result['http ' + host] = await attempt(async () => (await fetch('http://' + host + ':${privatePort}/')).text());
        result['tcp ' + host] = await attempt(async () => {
          const connection = await Deno.connect({ hostname: host, port: ${privatePort} });
          await connection.write(new TextEncoder().encode('GET / HTTP/1.0\\r\\n\\r\\n'));
          return read(connection);
        });
      }
      return result;`);
    for (const [name, text] of Object.entries(found)) expect(text, name).toMatch(/^$|^refused/);
    expect(privateHits).toBe(hits);
  });

  it('cannot send a second request in the body of one to its own app', async () => {
    const found = await run(`
      const folder = new URL('..', import.meta.url).pathname;
      const url = Deno.env.get('SUPABASE_URL') + '/auth/v1/health';
      const second = 'GET /health HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n';
      const result = {};
      for (const method of ['DELETE', 'OPTIONS', 'GET']) {
        result[method] = await attempt(async () => {
          const connection = await Object.getPrototypeOf(Deno).connect({ transport: 'unix', path: folder + 'http.sock' });
          await connection.write(new TextEncoder().encode(method + ' / HTTP/1.1\\r\\nhost: x\\r\\nx-ninefold-url: ' + url +
            '\\r\\nconnection: close\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n' + second.length.toString(16) + '\\r\\n' + second + '\\r\\n0\\r\\n\\r\\n'));
          return (await read(connection)).match(/HTTP\\/1\\.1 \\d+/g)?.length;
        });
      }
      result.next = await attempt(async () => (await (await fetch(url)).text()).slice(0, 200));
      return result;`);
    expect(found).toMatchObject({ DELETE: '1', OPTIONS: '1', GET: '1' });
    expect(found.next).toContain('GoTrue');
  });

  it.each(['/apps/OTHER', '/admin/v1/apps', '/'])('does not reach %s by a path of its own app', async (path) => {
    const target = path.replace('OTHER', other.ref);
    const found = await run(`
      const own = Deno.env.get('SUPABASE_URL');
      const result = {};
      for (const prefix of ['/../..', '/%2e%2e/%2e%2e', '/.%2e/..', '/..\\\\..', '/..;/..', '//..//..//..'])
        result[prefix] = await attempt(async () => { const r = await fetch(own + prefix + '${target}'); return r.status + (await r.text()).slice(0, 50); });
      return result;`);
    for (const [prefix, text] of Object.entries(found)) expect(text, prefix).toMatch(/^refused|^40[0134]/);
  });

  it('cannot remove its sockets or make files and folders', async () => {
    const found = await run(`
      const folder = new URL('..', import.meta.url).pathname;
      const native = Object.getPrototypeOf(Deno);
      const result = {};
      for (const name of ['serve.sock', 'http.sock', 'tcp.sock']) {
        result['remove ' + name] = await attempt(() => native.remove(folder + name));
        result['mkdir ' + name] = await attempt(() => native.mkdir(folder + name + '/a', { recursive: true }));
        result['rename ' + name] = await attempt(() => native.rename(folder + name, folder + 'serve.sock'));
      }
      result.list = await attempt(() => [...native.readDirSync(folder)].length);
      result.others = await attempt(() => [...native.readDirSync(folder + '..')].length);
      result.host = await attempt(() => native.connect({ transport: 'unix', path: folder + '../host.sock' }));
      result.environ = await attempt(() => native.readTextFile('/proc/self/environ'));
      result.passwd = await attempt(async () => (await import('node:fs')).readFileSync('/etc/passwd'));
      result.fetch = await attempt(async () => (await fetch('file:///etc/passwd')).text());
      result.run = await attempt(async () => (await import('node:child_process')).execSync('id'));
      result.kill = await attempt(async () => (await import('node:process')).default.kill(1, 0));
      result.ffi = await attempt(() => native.dlopen('/lib/x86_64-linux-gnu/libc.so.6', {}));
      result.dns = await attempt(async () => (await import('node:dns/promises')).lookup('example.com'));
      result.worker = await attempt(() => new Promise((resolve, reject) => {
        const worker = new Worker('data:text/javascript,' + encodeURIComponent("try { postMessage(Deno.readTextFileSync('/etc/passwd')) } catch (e) { postMessage('refused: ' + e) }"), { type: 'module' });
        worker.onmessage = ({ data }) => resolve(data); worker.onerror = reject;
      }));
      return result;`);
    for (const [name, text] of Object.entries(found)) {
      if (name === 'rename serve.sock') continue;
      expect(text, name).toMatch(/^refused/);
    }
    await expectOtherAppWorks();
  });

  it('cannot end the process that all apps share by its responses', async () => {
    await deploy(
      'odd',
      `Deno.serve((request) => {
      const header = new URL(request.url).searchParams;
      return new Response('odd', { headers: { [header.get('name')]: header.get('value') } });
    });`,
    );
    const headers = [
      ['trailer', 'x'],
      ['content-length', '99999'],
      ['transfer-encoding', 'gzip'],
      ['x-ninefold-error', 'unknown'],
      ['upgrade', 'websocket'],
      ['connection', 'upgrade'],
    ];
    for (const [name, value] of headers) {
      const response = await call(`odd?name=${name}&value=${value}`).catch(() => null);
      await response?.text().catch(() => undefined);
    }
    await expectOtherAppWorks();
    expect(node.logs()).not.toContain('function-process-lost');
  });

  it('delays no other app by endless lines of output', async () => {
    await deploy(
      'flood',
      `Deno.serve(() => { const bytes = new Uint8Array(65536).fill(10);
      setTimeout(() => { for (;;) Deno.stdout.writeSync(bytes); }); return new Response('flooding'); });`,
    );
    await (await call('flood')).text();
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const begin = performance.now();
      await expectOtherAppWorks();
      times.push(performance.now() - begin);
    }
    times.sort((a, b) => a - b);
    expect(times[10]).toBeLessThan(500);
    await admin(node, 'DELETE', `/apps/${app.ref}/functions/flood`);
  });

  it('cannot log as another app', async () => {
    await run(`const line = JSON.stringify({ ref: '${other.ref}', type: 'log', level: 'error', function: 'main', requestId: null, message: 'forged' });
      Deno.stdout.writeSync(new TextEncoder().encode('{"type":"ready"}\\n' + line + '\\n{"type":"log"\\n')); return {};`);
    // Another worker may have the line, and writes it after some seconds.
    const messages = async () => (await logs()).map(({ message }) => message);
    await expect.poll(messages).toContainEqual(expect.stringContaining('"type":"log"'));
    expect((await logs(other.ref)).filter(({ message }) => message.includes('forged'))).toEqual([]);
  });

  it('ends with its bounds of memory and processor time, and others go on', async () => {
    await deploy('memory', 'Deno.serve(() => { const all = []; for (;;) all.push(new Uint8Array(8e6).fill(1)); });');
    await deploy('processor', 'Deno.serve(() => { for (;;); });');
    await deploy(
      'threads',
      `Deno.serve(async () => { for (let i = 0; i < 500; i++) new Worker('data:text/javascript,for(;;);', { type: 'module' }); await new Promise(() => {}); });`,
    );
    for (const name of ['memory', 'processor', 'threads']) {
      const response = await call(name);
      expect([name, response.status]).toEqual([name, 546]);
      await response.text();
      await expectOtherAppWorks();
    }
  });

  it('gets at most one process beside the one of its newest deployment', async () => {
    const earlier = await functionProcesses();
    for (let i = 0; i < 5; i++) {
      await admin(node, 'PUT', `/apps/${app.ref}/function-secrets`, { ROUND: String(i) });
      await deploy(
        'hang',
        `// ${i}\nDeno.serve((r) => r.method === 'PUT' ? new Promise(() => {}) : new Response('up'));`,
      );
      await (await call('hang')).text();
      const stop = AbortSignal.timeout(15_000);
      void call('hang', { method: 'PUT', signal: stop }).catch(() => undefined);
      await (await call('hang')).text();
    }
    const own = (await functionProcesses()).filter((pid) => !earlier.includes(pid));
    expect(own.length).toBeLessThanOrEqual(2);
    await admin(node, 'DELETE', `/apps/${app.ref}/functions/hang`);
  });
});

describe('responses', () => {
  it('of functions stay inert on the origin of the console', async () => {
    await deploy(
      'page',
      `Deno.serve(() => new Response('<script>alert(1)</script>', { headers: {
      'content-type': 'text/html', 'set-cookie': 'ninefold_session=x; path=/', 'clear-site-data': '"cookies"', 'service-worker-allowed': '/',
      'content-security-policy': 'script-src *', 'refresh': '0;url=/x', 'strict-transport-security': 'max-age=1', 'x-accel-redirect': '/etc/passwd' } }));`,
    );
    const { headers } = await send(node.url, `/apps/${app.ref}/functions/v1/page`);
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    for (const name of [
      'set-cookie',
      'clear-site-data',
      'service-worker-allowed',
      'refresh',
      'strict-transport-security',
      'x-accel-redirect',
    ]) {
      expect(headers[name], name).toBeUndefined();
    }
  });
});

describe('the owner by SQL', () => {
  it.each([
    "insert into ninefold.functions (name) values ('x')",
    'update ninefold.functions set verifies_jwt = false',
    "insert into ninefold.function_secrets (name, sealed, set_by) values ('A', 'x', 'x')",
    "update ninefold.function_versions set bundle = 'x'",
    'delete from ninefold.function_logs',
    'truncate ninefold.function_secrets',
    'set role ninefold_server',
  ])('cannot run: %s', async (sql) => {
    await expect(runSql(node, app.ref, sql)).rejects.toThrow(/permission denied|42501/);
  });
});

describe('requests of SQL', () => {
  it('reach functions of the node, and nothing else of it', async () => {
    const hits = privateHits;
    const base = `${node.url}/apps/${other.ref}`;
    const targets = [
      `${base}/functions/v1/main`,
      `${base}/functions/v1/../../../admin/v1/apps`,
      `${base}/functions/v1/%2e%2e/%2e%2e/rest/v1/`,
      `${base}/functions/v1\\..\\..\\health`,
      `${base}/rest/v1/`,
      `${node.url}/health`,
      `${node.url}//apps/x/functions/v1/x`,
      `http://127.0.0.1:${privatePort}/apps/x/functions/v1/x`,
      `http://x@127.0.0.1:${privatePort}/apps/x/functions/v1/x`,
    ];
    for (const target of targets) await runSql(node, app.ref, `select net.http_get('${target}')`);
    const read = async () => {
      const { results } = await runSql(
        node,
        app.ref,
        'select status_code, content from net._http_response order by id',
      );
      return results.at(-1)?.rows ?? [];
    };
    await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBe(targets.length);
    const [first, ...others] = await read();
    expect(first).toEqual(['200', 'other app']);
    expect(others.map(([status]) => status)).toEqual(others.map(() => null));
    expect(privateHits).toBe(hits);
  });

  it('name no client in front of a proxy', async () => {
    await deploy('address', 'Deno.serve((r) => new Response(r.headers.get("x-forwarded-for")));', other);
    const target = `${node.url}/apps/${other.ref}/functions/v1/address`;
    await runSql(node, app.ref, `select net.http_get('${target}', headers => '{"x-forwarded-for":"1.2.3.4"}')`);
    const content = async () => {
      const { results } = await runSql(
        node,
        app.ref,
        'select content from net._http_response order by id desc limit 1',
      );
      return String(results.at(-1)?.rows[0]?.[0]);
    };
    await expect.poll(content).toMatch(/^(?:127\.0\.0\.1|::1)$/);
  });
});

describe('processes of functions', () => {
  it('end with the process that runs them, and the functions run again', async () => {
    await deploy('stay', 'Deno.addSignalListener("SIGTERM", () => {}); Deno.serve(() => new Response("up"));');
    await (await call('stay')).text();
    const before = await functionProcesses();
    expect(before.length).toBeGreaterThan(0);
    process.kill(await parentOf(before[0] as number), 'SIGKILL');
    await expect.poll(async () => (await functionProcesses()).filter((pid) => before.includes(pid))).toEqual([]);
    for (const pid of before) await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(async () => (await call('stay')).status, { timeout: 20_000 }).toBe(200);
  });

  it('end with a node that is killed, and leave no folder', async () => {
    await (await call('stay')).text();
    const before = await functionProcesses();
    const line = await readFile(`/proc/${before[0]}/cmdline`, 'utf8');
    const folder = /unix:(\/[^,]*?\/ninefold-functions-[^/]+)\//.exec(line)?.[1] ?? '';
    await node.kill9();
    for (const pid of before) await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(async () => (await readdir(dirname(folder))).filter((name) => folder.endsWith(name))).toEqual([]);
    await node.startAgain();
  });

  const isRunning = async (pid: number): Promise<boolean> => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line.includes('--allow-net=');
  };
});
