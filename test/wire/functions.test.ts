import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { AppConnection } from '../../contract/admin.ts';
import type { DeployFunction, EdgeFunction, FunctionLogLine, FunctionsState } from '../../contract/functions.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { certificate } from '../support/certificate.ts';
import { signUpMember } from '../support/clients.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { cli } from '../support/node.ts';
import { type NpmRegistry, startNpmRegistry } from '../support/npm-registry.ts';
import { ownNode } from '../support/own-node.ts';

let registry: NpmRegistry;
let mail: TestMailServer;
let folder: string;
let app: AppConnection;

beforeAll(async () => {
  registry = await startNpmRegistry();
  mail = await startMailServer(certificate);
  folder = mkdtempSync(join(tmpdir(), 'ninefold-authority-'));
  writeFileSync(join(folder, 'authority.pem'), certificate.cert);
});
afterAll(async () => {
  await Promise.all([registry.close(), mail.close()]);
  rmSync(folder, { recursive: true });
});

const node = ownNode('functions', () => ({
  NINEFOLD_NPM_REGISTRY: registry.url,
  NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  NINEFOLD_HTTP_ALLOW: `127.0.0.1:${mail.port}`,
  NINEFOLD_FUNCTION_SECONDS: '12',
  NINEFOLD_FUNCTION_PROCESSOR_SECONDS: '3',
  NINEFOLD_FUNCTION_CALLS: '4',
  // A process that fills the default reaches the bound of processor time first.
  NINEFOLD_FUNCTION_MEMORY_BYTES: String(192 * 1024 * 1024),
  NINEFOLD_FUNCTION_IDLE_SECONDS: '1',
}));

beforeAll(async () => {
  app = await createApp(node);
});

type Options = Omit<Partial<DeployFunction>, 'files'> & { readonly files?: Record<string, string> };

/** Deploys a function with one file, and further files of `options`. */
const deploy = (name: string, code: string, { files = {}, ...options }: Options = {}): Promise<EdgeFunction> =>
  admin(node, 'PUT', `/apps/${app.ref}/functions/${name}`, {
    files: { [`${name}/index.ts`]: code, ...files },
    entrypoint: `${name}/index.ts`,
    ...options,
  });

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${app.url}/functions/v1/${path}`, { ...init, headers: { apikey: app.publishable_key, ...init.headers } });

const logs = (query = ''): Promise<FunctionLogLine[]> => admin(node, 'GET', `/apps/${app.ref}/function-logs${query}`);

/** Opens a WebSocket to a function. */
const open = (path: string, protocols: string[] = []): WebSocket =>
  new WebSocket(`${app.url.replace(/^http/, 'ws')}/functions/v1/${path}`, protocols);

/** Returns the rights of each role on a function, from chapter 6. */
async function rightsOn(name: string): Promise<Record<string, string>> {
  const { chapters } = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
  const cells = chapters.roles?.edge_functions?.filter((cell) => cell.edge_function === name) ?? [];
  return Object.fromEntries(cells.map(({ role, verdict }) => [role, verdict]));
}

/** Returns status and code of a response. */
const outcome = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code];

describe('a deployed function', () => {
  it('gets method, path, query, headers and body, and its response passes unchanged', async () => {
    await deploy(
      'echo',
      `Deno.serve(async (request) => {
        const url = new URL(request.url);
        const { a, ...rest } = Object.fromEntries(url.searchParams);
        return Response.json(
          { method: request.method, path: url.pathname, a, rest, mine: request.headers.get('x-mine'), body: await request.text(),
            own: [...request.headers.keys()].filter((name) => name.startsWith('x-ninefold')) },
          { status: 207, headers: { 'x-answer': 'yes', 'set-cookie': 'a=1' } },
        );
      });`,
    );
    const response = await call('echo/deep/path?a=1&b=%C3%A4', {
      method: 'PUT',
      body: 'täxt',
      headers: { 'x-mine': 'm' },
    });
    expect([response.status, response.headers.get('x-answer')]).toEqual([207, 'yes']);
    expect(await response.json()).toEqual({
      ...{ method: 'PUT', path: '/echo/deep/path', a: '1', rest: { b: 'ä' }, mine: 'm', body: 'täxt', own: [] },
    });
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expect(await (await call('echo', { method })).json()).toMatchObject({ method, path: '/echo' });
    }
    expect((await call('echo', { method: 'HEAD' })).status).toBe(207);
  });

  it('is invoked by supabase-js with JSON, forms, files and a member’s token', async () => {
    await deploy(
      'invoked',
      `export default { async fetch(request: Request) {
        const type = request.headers.get('content-type') ?? '';
        const form = type.startsWith('multipart') ? await request.formData() : null;
        return Response.json({ type: type.split(';')[0], json: type.includes('json') ? await request.json() : null,
          file: form ? await (form.get('file') as File).text() : null, name: form?.get('name') ?? null,
          token: request.headers.get('authorization')?.slice(0, 9) });
      } };`,
    );
    const { client } = await signUpMember(app);
    expect(await client.functions.invoke('invoked', { body: { a: [1] } })).toMatchObject({
      ...{ error: null, data: { type: 'application/json', json: { a: [1] }, token: 'Bearer ey' } },
    });
    const form = new FormData();
    form.append('name', 'Ada');
    form.append('file', new File(['content'], 'a.txt'));
    expect(await client.functions.invoke('invoked', { body: form })).toMatchObject({
      ...{ error: null, data: { type: 'multipart/form-data', file: 'content', name: 'Ada' } },
    });
    const missing = await client.functions.invoke('nothing');
    expect(missing.error?.name).toBe('FunctionsHttpError');
    expect(await outcome(missing.error?.context as Response)).toEqual([404, 'function_not_found']);
  });

  it('verifies callers, unless it is deployed for all', async () => {
    const code = 'Deno.serve(() => new Response("in"));';
    await deploy('guarded', code);
    const url = `${app.url}/functions/v1/guarded`;
    expect(await outcome(await fetch(url))).toEqual([401, 'function_unauthorized']);
    expect(await outcome(await fetch(url, { headers: { apikey: 'sb_publishable_wrong' } }))).toEqual([
      401,
      'key_unknown',
    ]);
    expect(
      await outcome(await fetch(url, { headers: { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' } })),
    ).toEqual([401, 'PGRST301']);
    for (const key of [app.publishable_key, app.anon_key, app.secret_key]) {
      expect((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    }
    expect(await rightsOn('guarded')).toEqual({ anon: 'when', authenticated: 'always', service_role: 'always' });
    await deploy('guarded', code, { verify_jwt: false });
    expect(await rightsOn('guarded')).toEqual({ anon: 'always', authenticated: 'always', service_role: 'always' });
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url, { headers: { authorization: 'Bearer foreign' } })).status).toBe(200);
  });

  it('decides about other origins itself', async () => {
    await deploy(
      'cors',
      `Deno.serve((request) => request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: { 'access-control-allow-origin': 'https://mine.example', 'access-control-allow-headers': 'x-mine' } })
        : new Response('no header'));`,
    );
    const preflight = await fetch(`${app.url}/functions/v1/cors`, {
      method: 'OPTIONS',
      headers: { origin: 'https://mine.example', 'access-control-request-method': 'POST' },
    });
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-headers'),
    ]).toEqual([...[204, 'https://mine.example', 'x-mine']]);
    expect((await call('cors')).headers.get('access-control-allow-origin')).toBeNull();
    // A page can read the error of a missing function only after a preflight that succeeds.
    const missing = await fetch(`${app.url}/functions/v1/none`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    });
    expect([missing.status, missing.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });

  it('streams its response, and reads a body while it arrives', async () => {
    await deploy(
      'streams',
      `Deno.serve((request) => new Response(request.body?.pipeThrough(new TransformStream({
        transform(chunk, controller) { controller.enqueue(new TextEncoder().encode('<' + new TextDecoder().decode(chunk) + '>')); } })),
        { headers: { 'content-type': 'text/event-stream' } }));`,
    );
    let send: (text: string) => void = () => undefined;
    let end: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
        end = () => controller.close();
      },
    });
    send('one');
    const response = await call('streams', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).toBe('<one>');
    send('two');
    expect(await next()).toBe('<two>');
    end();
    expect((await reader.read()).done).toBe(true);
  });

  it('reads its own API, its database and another function, with packages of npm', async () => {
    await runSql(
      node,
      app.ref,
      "create table secrets_of_app (word text); alter table secrets_of_app enable row level security; insert into secrets_of_app values ('xyzzy')",
    );
    await deploy('inner', 'Deno.serve(async (request) => Response.json({ got: await request.json() }));');
    await deploy(
      'outer',
      `import 'jsr:@supabase/functions-js/edge-runtime.d.ts';
      import { createClient } from 'https://esm.sh/@supabase/supabase-js@2';
      import { serve } from 'https://deno.land/std@0.168.0/http/server.ts';
      import pg from 'npm:pg';
      serve(async () => {
        const asAll = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!);
        const asAnon = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!);
        const database = new pg.Client({ connectionString: Deno.env.get('SUPABASE_DB_URL') });
        await database.connect();
        const { rows } = await database.query('select session_user as name, word from secrets_of_app');
        await database.end();
        return Response.json({
          all: (await asAll.from('secrets_of_app').select()).data, anon: (await asAnon.from('secrets_of_app').select()).data, rows,
          inner: (await asAll.functions.invoke('inner', { body: { n: 1 } })).data,
        });
      });`,
    );
    expect(await (await call('outer')).json()).toEqual({
      ...{
        all: [{ word: 'xyzzy' }],
        anon: [],
        rows: [{ name: `app_${app.ref}`, word: 'xyzzy' }],
        inner: { got: { n: 1 } },
      },
    });
  });

  it('sends a mail over a connection that continues with TLS, and only if the certificate names the server', async () => {
    await deploy(
      'mails',
      `Deno.serve(async (request) => {
        const { port, name } = await request.json();
        const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
        let connection = await Deno.connect({ hostname: '127.0.0.1', port });
        const read = async () => {
          const bytes = new Uint8Array(4096);
          const count = await connection.read(bytes);
          return count === null ? '' : decoder.decode(bytes.subarray(0, count));
        };
        const say = async (line) => {
          await connection.write(encoder.encode(line + '\\r\\n'));
          return read();
        };
        const said = [await read(), await say('EHLO here'), await say('STARTTLS')];
        connection = await Deno.startTls(connection, { hostname: name });
        for (const line of ['EHLO here', 'MAIL FROM:<a@here.example>', 'RCPT TO:<b@there.example>', 'DATA', 'Subject: Hi\\r\\n\\r\\nText\\r\\n.']) {
          said.push(await say(line));
        }
        connection.close();
        return Response.json(said.map((text) => text.slice(0, 3)));
      });`,
    );
    const send = (name: string) => call('mails', { method: 'POST', body: JSON.stringify({ port: mail.port, name }) });
    expect(await (await send('127.0.0.1')).json()).toEqual(['220', '250', '220', '250', '250', '250', '354', '250']);
    expect(mail.mails.map(({ parsed }) => parsed.subject)).toEqual(['Hi']);
    await send('other.example');
    expect(mail.mails).toHaveLength(1);
    const several = await Promise.all(Array.from({ length: 4 }, () => send('127.0.0.1')));
    expect([several.map(({ status }) => status), mail.mails.length]).toEqual([[200, 200, 200, 200], 5]);
  });

  it('has the keys that are valid now, also after a key was rotated', async () => {
    const keyed = await createApp(node);
    const path = `/apps/${keyed.ref}`;
    await admin(node, 'PUT', `${path}/functions/keys`, {
      files: {
        'keys/index.ts': `Deno.serve(() => Response.json({
          secret: JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS')!).default,
          kids: JSON.parse(Deno.env.get('SUPABASE_JWKS')!).keys.map(({ kid }) => kid),
        }));`,
      },
      entrypoint: 'keys/index.ts',
      verify_jwt: false,
    });
    const known = async () => (await fetch(`${keyed.url}/functions/v1/keys`)).json();
    const kids = async () => {
      const published = await fetch(`${keyed.url}/auth/v1/.well-known/jwks.json`);
      return ((await published.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };
    expect(await known()).toEqual({ secret: keyed.secret_key, kids: await kids() });
    await admin(node, 'POST', `${path}/api-keys/secret/rotate`);
    await admin(node, 'POST', `${path}/keys`, { alg: 'ES256' });
    expect(await known()).toEqual({ secret: keyed.service_role_key, kids: await kids() });
  });

  it('answers requests of SQL without leaving the node', async () => {
    await deploy('from-sql', 'Deno.serve(async (request) => new Response("sql " + await request.text()));', {
      verify_jwt: false,
    });
    await runSql(node, app.ref, `select net.http_post('${app.url}/functions/v1/from-sql', '{"n": 7}'::jsonb)`);
    await expect
      .poll(
        async () =>
          (await runSql(node, app.ref, 'select status_code, content from net._http_response')).results[0]?.rows,
      )
      .toEqual([['200', 'sql {"n": 7}']]);
    // Other addresses of the node stay closed to SQL.
    await runSql(node, app.ref, `select net.http_get('${node.url}/ready')`);
    await expect
      .poll(
        async () =>
          (await runSql(node, app.ref, 'select error_msg from net._http_response where error_msg is not null'))
            .results[0]?.rows[0]?.[0],
      )
      .toContain('is no public address');
  });
});

describe('a deployment', () => {
  it('names file and line of each fault, and the version before runs on', async () => {
    await deploy('faulty', 'Deno.serve(() => new Response("one"));');
    const response = await fetch(`${node.url}/admin/v1/apps/${app.ref}/functions/faulty`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        files: {
          'faulty/index.ts': `import a from 'npm:no-such-package-at-all';\nimport b from 'lodash';\nimport c from '../_shared/no.ts';\nimport d from '/etc/hostname';\nDeno.serve(() => new Response(a + b + c + d));`,
        },
        entrypoint: 'faulty/index.ts',
      }),
    });
    expect(response.status).toBe(422);
    const { code, details } = (await response.json()) as {
      code: string;
      details: { file: string; line: number; message: string }[];
    };
    expect(code).toBe('function_not_bundled');
    expect(details.map(({ file, line }) => `${file}:${line}`)).toEqual(
      [1, 2, 3, 4].map((line) => `faulty/index.ts:${line}`),
    );
    expect(details[1]?.message).toContain('npm:lodash');
    expect(await (await call('faulty')).text()).toBe('one');
  });

  it('bundles shared files, import maps, JSON and text', async () => {
    await deploy(
      'mapped',
      `import { words } from '@/words.ts'; import data from './data.json' with { type: 'json' }; import text from './note.txt' with { type: 'text' };
      import semver from 'semver'; Deno.serve(() => new Response([words, data.n, text, semver.valid('v1.2.3')].join(' ')));`,
      {
        import_map: 'deno.json',
        files: {
          'deno.json': '{ // comments are fine\n "imports": { "@/": "./_shared/", "semver": "npm:semver" }, }',
          '_shared/words.ts': 'export const words: string = "shared";',
          'mapped/data.json': '{"n": 42}',
          'mapped/note.txt': 'note',
        },
      },
    );
    expect(await (await call('mapped')).text()).toBe('shared 42 note 1.2.3');
  });

  it('keeps versions that can be returned to, and switches a function off', async () => {
    await deploy('versioned', 'Deno.serve(() => new Response("v1"));', { message: 'first' });
    const second = await deploy('versioned', 'Deno.serve(() => new Response("v2"));');
    expect(second.versions.map(({ number, is_active: isActive, message }) => [number, isActive, message])).toEqual([
      ...[
        [2, true, null],
        [1, false, 'first'],
      ],
    ]);
    const change = (body: unknown) => admin<EdgeFunction>(node, 'PATCH', `/apps/${app.ref}/functions/versioned`, body);
    await change({ version: 1 });
    expect(await (await call('versioned')).text()).toBe('v1');
    await change({ version: null });
    expect(await outcome(await call('versioned'))).toEqual([404, 'function_not_found']);
    await expect(change({ version: 9 })).rejects.toThrow('404');
    await change({ version: 2 });
    expect(await (await call('versioned')).text()).toBe('v2');
    await admin(node, 'DELETE', `/apps/${app.ref}/functions/versioned`);
    const { results } = await runSql(node, app.ref, 'select changes::text from ninefold.versions order by number');
    const changes = (results[0]?.rows ?? [])
      .map(([text]) => text ?? '')
      .filter((text) => text.includes('v1/versioned'));
    expect(changes.length).toBeGreaterThanOrEqual(4);
    expect(changes.at(-1)).toContain('"removed"');
  });

  it('reads the name and the processors of the machine, and finds no storage, as packages do when they are loaded', async () => {
    await deploy(
      'machine',
      `import os from 'node:os';
       const found = [os.hostname(), os.cpus().length, globalThis.localStorage].map((value) => typeof value);
       Deno.serve(() => Response.json(found));`,
    );
    expect(await (await call('machine')).json()).toEqual(['string', 'number', 'undefined']);
  });

  it('comes from the folder of a project, with the settings of config.toml', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'functions-'));
    const folder = join(outside, 'project');
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write(
      'supabase/config.toml',
      `[functions.open]
verify_jwt = false
[functions.asleep]
enabled = false
[functions.declared]
entrypoint = "./elsewhere/main.ts"
import_map = "./supabase/functions/names.json"
verify_jwt = false
[functions.mapless]
import_map = "./nowhere.json"
`,
    );
    write(
      'supabase/elsewhere/main.ts',
      `import { far } from '@lib/far.ts'; if (import.meta.main) Deno.serve(() => new Response(far));`,
    );
    write('supabase/functions/names.json', '{"imports": {"@lib/": "../../lib/"}}');
    write('supabase/functions/mapless/index.ts', 'Deno.serve(() => new Response("no"));');
    write(
      'supabase/functions/open/index.ts',
      `import { word } from '../_shared/word.ts'; import { far } from '../../../lib/far.ts'; Deno.serve(() => new Response(word + far));`,
    );
    write('supabase/functions/_shared/word.ts', 'export const word = "shared";');
    write('supabase/functions/asleep/index.ts', 'Deno.serve(() => new Response("no"));');
    write('supabase/functions/.env', 'TOKEN=local');
    write('lib/far.ts', 'export const far = " far";');
    // Files of the user that are not in the project.
    write('../secret.json', '{"token": "hush"}');
    const reads =
      "import secret from '../../../../secret.json' with { type: 'json' }; Deno.serve(() => Response.json(secret));";
    write('supabase/functions/thief/index.ts', reads);
    mkdirSync(join(folder, 'supabase/functions/linked'));
    symlinkSync(join(outside, 'secret.json'), join(folder, 'supabase/functions/linked/secret.json'));
    write('supabase/functions/linked/index.ts', reads.replace('../../../../', './'));
    try {
      const { code, stdout, stderr } = await cli(node, ['functions', 'deploy', app.ref, folder]);
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).toMatch(/linked\/index\.ts:1[\s\S]*thief\/index\.ts:1/);
      expect(stdout).toMatch(/^open {2}version 1, .*, open to all callers$/m);
      expect(await (await fetch(`${app.url}/functions/v1/open`)).text()).toBe('shared far');
      expect(stdout).toMatch(
        /^mapless {2}not deployed:\n.*nowhere\.json, which config\.toml names, does not exist\.$/m,
      );
      expect(await (await fetch(`${app.url}/functions/v1/declared`)).text()).toBe(' far');
      const { files } = await admin<{ files: object }>(node, 'GET', `/apps/${app.ref}/functions/open/source`);
      expect(Object.keys(files)).toEqual(expect.arrayContaining(['supabase/functions/open/index.ts', 'lib/far.ts']));
      expect(Object.keys(files).join()).not.toContain('.env');
      const listed = await cli(node, ['functions', 'list', app.ref]);
      expect(listed.stdout).toMatch(/open +1 .* all +\d/);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

describe('secrets of functions', () => {
  it('are environment variables of the next call, and are never shown', async () => {
    await deploy(
      'secretive',
      'Deno.serve(() => Response.json([Deno.env.get("API_TOKEN") ?? null, Deno.env.get("NINEFOLD_HOME") ?? null, Deno.env.get("PATH_TO") ?? null]));',
    );
    const set = (body: unknown) => admin<FunctionsState>(node, 'PUT', `/apps/${app.ref}/function-secrets`, body);
    expect(await (await call('secretive')).json()).toEqual([null, null, null]);
    const state = await set({ API_TOKEN: 'hush', PATH_TO: 'x' });
    expect(JSON.stringify(state)).not.toContain('hush');
    expect(state.secrets).toMatchObject([
      { name: 'API_TOKEN', read_by: ['secretive'], set_by: 'operator' },
      { name: 'PATH_TO' },
    ]);
    expect(await (await call('secretive')).json()).toEqual(['hush', null, 'x']);
    await set({ API_TOKEN: null, PATH_TO: null });
    expect(await (await call('secretive')).json()).toEqual([null, null, null]);
    for (const name of ['SUPABASE_URL', 'DENO_DIR', 'with space', '1A'])
      await expect(set({ [name]: 'x' })).rejects.toThrow(/400.*(is reserved|is not the name)/);
    const { results } = await runSql(node, app.ref, 'select * from ninefold.function_secrets');
    expect(JSON.stringify(results)).not.toContain('hush');
  });
});

describe('logs of functions', () => {
  it('have each line of the console with its function and request, also after the response', async () => {
    await deploy(
      'talkative',
      `Deno.serve(() => { console.log('said', { a: 1 }); console.warn('careful');
        EdgeRuntime.waitUntil((async () => { await new Promise((done) => setTimeout(done, 50)); console.log('afterwards'); })());
        return new Response('ok'); });`,
    );
    const requestId = (await call('talkative')).headers.get('x-request-id');
    await expect
      .poll(async () =>
        (await logs(`?request_id=${requestId}`)).map((line) => [line.level, line.function, line.message]),
      )
      .toEqual([
        ['info', 'talkative', 'said { a: 1 }'],
        ['warn', 'talkative', 'careful'],
        ['info', 'talkative', 'afterwards'],
      ]);
  });

  it('explain why a function failed, with the line of its source', async () => {
    await deploy('throws', 'Deno.serve(() => {\n  throw new Error("boom");\n});');
    await deploy('early', 'throw new Error("too early");');
    await deploy('silent', 'export const nothing = 1;');
    await deploy('wrong', 'Deno.serve(() => "no response" as unknown as Response);');
    const failure = await call('throws');
    expect(await outcome(failure)).toEqual([500, 'function_failed']);
    expect(await outcome(await call('early'))).toEqual([503, 'function_not_started']);
    expect(await outcome(await call('wrong'))).toEqual([500, 'function_failed']);
    const id = failure.headers.get('x-request-id');
    await expect
      .poll(async () => (await logs(`?request_id=${id}`))[0]?.message)
      .toMatch(/^Error: boom\n.*throws\/index\.ts:2:\d+/);
    expect((await logs('?function=early&level=error')).map(({ message }) => message.split('\n')[0])).toContain(
      'Error: too early',
    );
  });
});

describe('a function that accepts WebSockets', () => {
  beforeAll(async () => {
    const code = `Deno.serve((request) => {
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return new Response('WebSockets only', { status: 426 });
      const { socket, response } = Deno.upgradeWebSocket(request, { protocol: request.headers.get('sec-websocket-protocol') ?? '' });
      const { pathname, search } = new URL(request.url);
      socket.onopen = () => socket.send(pathname + search);
      socket.onmessage = ({ data }) => {
        if (data === 'bye') socket.close(4001, 'so long');
        else {
          console.log('got', typeof data === 'string' ? data : data.byteLength);
          socket.send(data);
        }
      };
      return response;
    });`;
    await deploy('echo', code, { verify_jwt: false });
    await deploy('echo-members', code);
  });

  it('exchanges texts and bytes until one side closes, and its lines have its name', async () => {
    const socket = open('echo/room?id=7', ['chat']);
    const [greeting] = await once(socket, 'message');
    expect([String(greeting), socket.protocol]).toEqual(['/echo/room?id=7', 'chat']);
    const bytes = Buffer.alloc(300_000, 7);
    const received: Buffer[] = [];
    socket.on('message', (data: Buffer) => received.push(data));
    for (const data of ['hello', bytes]) socket.send(data);
    await expect.poll(() => received.length).toBe(2);
    expect([String(received[0]), received[1]?.equals(bytes)]).toEqual(['hello', true]);
    socket.send('bye');
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([4001, 'so long']);
    await expect
      .poll(async () => (await logs('?function=echo')).map(({ message }) => message))
      .toEqual(expect.arrayContaining(['got hello', 'got 300000']));
  });

  it('is refused to callers without a key, which may be in the query, and answers other requests as before', async () => {
    const [, refusal] = (await once(open('echo-members'), 'unexpected-response')) as [unknown, IncomingMessage];
    expect(refusal.statusCode).toBe(401);
    refusal.destroy();
    const socket = open(`echo-members?apikey=${app.publishable_key}`);
    expect(String((await once(socket, 'message'))[0])).toBe('/echo-members');
    socket.close();
    await once(socket, 'close');
    expect((await call('echo')).status).toBe(426);
    await deploy('plain', 'Deno.serve(() => new Response("no", { status: 418 }));', { verify_jwt: false });
    const [, plain] = (await once(open('plain'), 'unexpected-response')) as [unknown, IncomingMessage];
    expect([plain.statusCode, String((await once(plain, 'data'))[0])]).toEqual([418, 'no']);
    const [, unknown] = (await once(open('nowhere'), 'unexpected-response')) as [unknown, IncomingMessage];
    expect(unknown.statusCode).toBe(404);
    unknown.destroy();
  });
});

describe('a function that exceeds a bound', () => {
  it('ends with the code of the bound, and the next call works', async () => {
    await deploy('endless', 'Deno.serve(() => { for (;;); });');
    await deploy(
      'hungry',
      'Deno.serve(() => { const all = []; for (;;) all.push(new Uint8Array(8_000_000).fill(1)); });',
    );
    await deploy(
      'greedy',
      'Deno.serve(() => { const all = []; for (;;) all.push({ list: [1, 2, 3], x: Math.random() }); });',
    );
    await deploy(
      'slow',
      'Deno.serve(async () => { await new Promise((done) => setTimeout(done, 20_000)); return new Response("late"); });',
    );
    await deploy('fine', 'Deno.serve(() => new Response("fine"));');
    expect(await outcome(await call('endless'))).toEqual([546, 'function_processor_exceeded']);
    expect(await (await call('fine')).text()).toBe('fine');
    expect(await outcome(await call('hungry'))).toEqual([546, 'function_memory_exceeded']);
    expect(await (await call('fine')).text()).toBe('fine');
    expect(await outcome(await call('greedy'))).toEqual([546, 'function_memory_exceeded']);
    expect(await (await call('fine')).text()).toBe('fine');
    const socket = open('echo');
    const closed = once(socket, 'close');
    expect(await outcome(await call('slow'))).toEqual([504, 'function_timeout']);
    // The time of a call also bounds a WebSocket.
    expect((await closed)[0]).toBe(1006);
  });

  it('answers 429 with Retry-After if too many calls run, and 413 for a body that is too large', async () => {
    await deploy(
      'waits',
      'Deno.serve(async () => { await new Promise((done) => setTimeout(done, 700)); return new Response("done"); });',
    );
    const responses = await Promise.all(Array.from({ length: 12 }, () => call('waits')));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    const refused = responses.find(({ status }) => status === 429);
    expect([refused?.headers.get('retry-after'), ...(await outcome(refused as Response))]).toEqual([
      '1',
      429,
      'function_busy',
    ]);
    expect(await outcome(await call('waits', { method: 'POST', body: new Uint8Array(21 * 1024 * 1024) }))).toEqual([
      413,
      'body_too_large',
    ]);
  });
});

it('ends the process of an app that nobody calls', async () => {
  await deploy('brief', 'Deno.serve(() => new Response("brief"));');
  await call('brief');
  const since = Math.max(...(await logs()).map(({ id }) => id));
  await expect
    .poll(async () => (await logs(`?after=${since}`)).filter(({ level }) => level === 'end').length, {
      timeout: 15_000,
    })
    .toBeGreaterThan(0);
  expect(await (await call('brief')).text()).toBe('brief');
});

it('ends a process whose only call was given up while it started', async () => {
  await deploy('given-up', 'Deno.serve(() => new Response("late"));');
  const ends = async () => (await logs()).filter(({ level }) => level === 'end').length;
  await expect.poll(async () => (await call('given-up')).status).toBe(200);
  const before = await ends();
  await expect.poll(ends, { timeout: 15_000 }).toBeGreaterThan(before);
  const leaving = new AbortController();
  const left = call('given-up', { signal: leaving.signal });
  setTimeout(() => leaving.abort(), 20);
  await left.catch(() => undefined);
  const after = await ends();
  await expect.poll(ends, { timeout: 15_000 }).toBeGreaterThan(after);
});

it('deletes a function with its versions', async () => {
  await deploy('gone', 'Deno.serve(() => new Response("here"));');
  await admin(node, 'DELETE', `/apps/${app.ref}/functions/gone`);
  expect(await outcome(await call('gone'))).toEqual([404, 'function_not_found']);
  await expect(admin(node, 'GET', `/apps/${app.ref}/functions/gone/source`)).rejects.toThrow('404');
});
