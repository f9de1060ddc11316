import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ERROR_HEADER,
  FUNCTION_HEADER,
  REQUEST_ID_HEADER,
  type RuntimeConfiguration,
  type RuntimeMessage,
  runtimeFiles,
  URL_HEADER,
} from '../../../contract/function-runtime.ts';
import { connectionsOf, type DenoApi, fetchOf, type NetModule, socketOf } from './network.ts';

/**
 * The program that Deno runs for the edge functions of one app. It loads a function at its first call and passes calls to it. Deno's
 * permissions are the boundary: the process can reach only the sockets of its folder. The wrappers here only lead requests through them, so
 * a function gains nothing by calling the wrapped functions directly.
 */

declare const Deno: DenoApi;

const globals = globalThis as unknown as EventTarget;

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

/** A function while it is loaded: its handler, and what waits for it. */
interface Loaded {
  handler: Handler | null;
  onError: ((error: unknown) => Response | Promise<Response>) | null;
  readonly ready: Promise<void>;
}

const configuration = await readConfiguration();
const { folder, functions } = configuration;
/** Stack traces name files without the folder of the runtime. */
const codeFolder = `file://${folder}/${runtimeFiles.code}/`;
const context = new AsyncLocalStorage<{ readonly name: string; readonly requestId: string | null }>();
const encoder = new TextEncoder();
const pending = new Set<Promise<unknown>>();
const loaded = new Map<string, Loaded>();
const originals = new WeakMap<Request, Request>();

for (const [name, value] of Object.entries(configuration.variables)) Deno.env.set(name, value);
replaceConsole();
replaceNetwork();
const edgeRuntime = {
  waitUntil(promise: Promise<unknown>): Promise<unknown> {
    const waiting = Promise.resolve(promise)
      .catch((error: unknown) => report('error', error))
      .finally(() => pending.delete(waiting));
    pending.add(waiting);
    return promise;
  },
};
Object.assign(globalThis, { EdgeRuntime: edgeRuntime });
// The modules of functions begin with a call of this, so that each registers its own handler.
Object.assign(globalThis, { [Symbol.for('ninefold.deno')]: denoOf });

// An error outside of a call must not end the process, which also runs calls of other functions.
globals.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  report('error', (event as Event & { reason: unknown }).reason);
});
globals.addEventListener('error', (event) => {
  event.preventDefault();
  report('error', (event as Event & { error: unknown }).error);
});
Deno.addSignalListener('SIGTERM', () => void Promise.allSettled([...pending]).then(() => Deno.exit(0)));

Deno.serve(
  {
    path: `${folder}/${runtimeFiles.serve}`,
    onListen: () => send({ type: 'ready' }),
    onError: () => failed('function_failed'),
  },
  call,
);

async function readConfiguration(): Promise<RuntimeConfiguration> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of Deno.stdin.readable) {
    text += decoder.decode(chunk, { stream: true });
    if (text.endsWith('\n')) break;
  }
  return JSON.parse(text) as RuntimeConfiguration;
}

function send(message: RuntimeMessage): void {
  const bytes = encoder.encode(`${JSON.stringify(message)}\n`);
  for (let written = 0; written < bytes.length; ) written += Deno.stdout.writeSync(bytes.subarray(written));
}

/** Passes a call to its function. */
async function call(request: Request): Promise<Response> {
  const name = request.headers.get(FUNCTION_HEADER) ?? '';
  const requestId = request.headers.get(REQUEST_ID_HEADER);
  return context.run({ name, requestId }, async () => {
    const entry = functions.includes(name) ? load(name) : null;
    if (entry === null) return failed('function_not_found');
    try {
      await entry.ready;
    } catch (error) {
      report('error', error);
      // The next call tries again, for example after a server that the code needs is back.
      loaded.delete(name);
      return failed('function_not_started');
    }
    const forFunction = withoutOwnHeaders(request);
    try {
      const response = await (entry.handler as Handler)(forFunction, {
        remoteAddr: { transport: 'tcp', hostname: '127.0.0.1', port: 0 },
      });
      if (response instanceof Response) return response;
      report('error', new TypeError('The function returned no Response.'));
    } catch (error) {
      const shown = entry.onError === null ? null : await entry.onError(error);
      if (shown instanceof Response) return shown;
      report('error', error);
    }
    return failed('function_failed');
  });
}

const failed = (code: string): Response => new Response(null, { status: 500, headers: { [ERROR_HEADER]: code } });

/** Returns the request as the client sent it, with the name of the function as the beginning of its path. */
function withoutOwnHeaders(request: Request): Request {
  const headers = new Headers(request.headers);
  const url = headers.get(URL_HEADER) ?? request.url;
  for (const name of [FUNCTION_HEADER, REQUEST_ID_HEADER, URL_HEADER]) headers.delete(name);
  const { method, body, signal } = request;
  const copy = new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit);
  originals.set(copy, request);
  return copy;
}

/** Loads a function once. It is ready when it has registered a handler. */
function load(name: string): Loaded {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  let register: () => void = () => undefined;
  const registered = new Promise<void>((resolve) => {
    register = resolve;
  });
  const entry: Loaded = { handler: null, onError: null, ready: loadModule(name, registered, () => entry) };
  registrations.set(name, (handler, onError) => {
    entry.handler = handler;
    entry.onError = onError;
    register();
  });
  loaded.set(name, entry);
  return entry;
}

const registrations = new Map<string, (handler: Handler, onError: Loaded['onError']) => void>();

async function loadModule(name: string, registered: Promise<void>, entry: () => Loaded): Promise<void> {
  await prepareNodeModules(name);
  const module: { default?: unknown } = await import(`file://${folder}/${runtimeFiles.code}/${name}.js`);
  if (entry().handler !== null) return;
  const exported = module.default;
  const fetchOfModule = isObject(exported) ? exported.fetch : exported;
  if (typeof fetchOfModule === 'function') {
    entry().handler = (fetchOfModule as Handler).bind(exported);
    return;
  }
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('The function calls no Deno.serve and has no default export with fetch.')),
      configuration.startMilliseconds,
    ) as unknown as number;
  });
  await Promise.race([registered, late]).finally(() => clearTimeout(timer));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Leads connections of Node.js modules through the node. It takes time to load them, so it happens only for code that uses them. */
async function prepareNodeModules(name: string): Promise<void> {
  const text = await Deno.readTextFile(`${folder}/${runtimeFiles.code}/${name}.js`);
  if (!/["']node:(?:net|tls|https?|http2)["']/.test(text)) return;
  const { default: net } = await import('node:net');
  socketOf(net as unknown as NetModule, folder);
}

/** Returns the object that the module of a function has as `Deno`. */
function denoOf(name: string): DenoApi {
  const serve = (...given: unknown[]): unknown => {
    const [first, second] = given;
    const options = isObject(first) ? first : {};
    const handler = typeof first === 'function' ? first : (second ?? options.handler);
    if (typeof handler !== 'function') throw new TypeError('Deno.serve needs a handler.');
    registrations.get(name)?.(handler as Handler, (options.onError as Loaded['onError']) ?? null);
    const addr = { transport: 'tcp', hostname: '0.0.0.0', port: 8000 };
    if (typeof options.onListen === 'function') queueMicrotask(() => (options.onListen as (at: unknown) => void)(addr));
    const never = new Promise<void>(() => undefined);
    return {
      addr,
      finished: never,
      ref() {},
      unref() {},
      shutdown: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  const own = {
    serve,
    ...connectionsOf(Deno, folder),
    upgradeWebSocket: (request: Request, options?: unknown) =>
      Deno.upgradeWebSocket(originals.get(request) ?? request, options),
    exit: () => {
      throw new Error('A function cannot end its process.');
    },
  };
  return Object.create(Deno, Object.getOwnPropertyDescriptors(own)) as DenoApi;
}

/** Writes a line of output, with the function and the request that it belongs to. */
function report(level: (RuntimeMessage & { type: 'log' })['level'], ...values: unknown[]): void {
  const { name = null, requestId = null } = context.getStore() ?? {};
  const message = values
    .map((value) => (typeof value === 'string' ? value : Deno.inspect(value, { depth: 6, colors: false })))
    .join(' ')
    .replaceAll(codeFolder, '')
    .replace(/\n\s+at [^\n]*\/runtime\.js:\d+:\d+\)?/g, '')
    .slice(0, configuration.logCharacters);
  send({ type: 'log', level, function: name, requestId, message });
}

function replaceConsole(): void {
  const levels = {
    debug: 'debug',
    log: 'info',
    info: 'info',
    dir: 'info',
    warn: 'warn',
    error: 'error',
    trace: 'debug',
  } as const;
  for (const [method, level] of Object.entries(levels)) {
    Object.assign(console, {
      [method]: (...values: unknown[]) => report(level, ...values),
    });
  }
}

function replaceNetwork(): void {
  const { fetch: replacement, WebSocket: socketClass } = fetchOf(Deno, folder);
  Object.assign(globalThis, { fetch: replacement, WebSocket: socketClass });
}
