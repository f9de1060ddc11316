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

type Handler = (request: Request, info: unknown) => Response | Promise<Response>;
type ErrorHandler = ((error: unknown) => Response | Promise<Response>) | null;
type Level = (RuntimeMessage & { type: 'log' })['level'];

/** A function while it is loaded: its handler, and what waits for it. */
interface Loaded {
  handler: Handler | null;
  onError: ErrorHandler;
  /** Called when the function passes its handler to Deno.serve. */
  register: () => void;
  ready: Promise<void>;
}

/** The methods of the console, and the levels of their lines. */
const levels = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  dir: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'debug',
} as const satisfies Record<string, Level>;

/** The functions of one app. */
class Functions {
  readonly #configuration: RuntimeConfiguration;
  readonly #context = new AsyncLocalStorage<{ readonly name: string; readonly requestId: string | null }>();
  readonly #encoder = new TextEncoder();
  readonly #loaded = new Map<string, Loaded>();
  /** The promises of EdgeRuntime.waitUntil that have not settled. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(configuration: RuntimeConfiguration) {
    this.#configuration = configuration;
  }

  /** Replaces what functions use of the platform, and accepts calls. */
  start(): void {
    const { folder, variables } = this.#configuration;
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    for (const [method, level] of Object.entries(levels)) {
      Object.assign(console, { [method]: (...values: unknown[]) => this.#report(level, ...values) });
    }
    // Deno stores it in a file, which a function cannot have. Packages do without it if it does not exist.
    Reflect.deleteProperty(globalThis, 'localStorage');
    Object.assign(globalThis, fetchOf(Deno, folder), {
      EdgeRuntime: { waitUntil: (promise: Promise<unknown>) => this.#waitUntil(promise) },
      // The modules of functions begin with a call of this, so that each registers its own handler.
      [Symbol.for('ninefold.deno')]: (name: string) => this.#denoOf(name),
    });
    this.#surviveErrors(globalThis as unknown as EventTarget);
    Deno.addSignalListener('SIGTERM', () => void Promise.allSettled([...this.#pending]).then(() => Deno.exit(0)));
    Deno.serve(
      {
        path: `${folder}/${runtimeFiles.serve}`,
        onListen: () => this.#send({ type: 'ready' }),
        onError: () => failed('function_failed'),
      },
      (request) => this.#call(request),
    );
  }

  /** An error outside of a call must not end the process, which also runs calls of other functions. */
  #surviveErrors(target: EventTarget): void {
    target.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.#report('error', (event as Event & { reason: unknown }).reason);
    });
    target.addEventListener('error', (event) => {
      event.preventDefault();
      this.#report('error', (event as Event & { error: unknown }).error);
    });
  }

  #waitUntil(promise: Promise<unknown>): Promise<unknown> {
    const waiting = Promise.resolve(promise)
      .catch((error: unknown) => this.#report('error', error))
      .finally(() => this.#pending.delete(waiting));
    this.#pending.add(waiting);
    return promise;
  }

  #send(message: RuntimeMessage): void {
    const bytes = this.#encoder.encode(`${JSON.stringify(message)}\n`);
    for (let written = 0; written < bytes.length; ) written += Deno.stdout.writeSync(bytes.subarray(written));
  }

  /** Writes a line of output, with the function and the request that it belongs to. */
  #report(level: Level, ...values: unknown[]): void {
    const { folder, logCharacters } = this.#configuration;
    const { name = null, requestId = null } = this.#context.getStore() ?? {};
    const message = values
      .map((value) => (typeof value === 'string' ? value : Deno.inspect(value, { depth: 6, colors: false })))
      .join(' ')
      // Stack traces name files without the folder of the runtime, and without this program.
      .replaceAll(`file://${folder}/${runtimeFiles.code}/`, '')
      .replace(/\n\s+at [^\n]*\/[\w-]*runtime\.js:\d+:\d+\)?/g, '')
      .slice(0, logCharacters);
    this.#send({ type: 'log', level, function: name, requestId, message });
  }

  /** Passes a call to its function. */
  #call(request: Request): Promise<Response> {
    const name = request.headers.get(FUNCTION_HEADER) ?? '';
    const requestId = request.headers.get(REQUEST_ID_HEADER);
    return this.#context.run({ name, requestId }, async () => {
      if (!this.#configuration.functions.includes(name)) return failed('function_not_found');
      const entry = this.#load(name);
      try {
        await entry.ready;
      } catch (error) {
        this.#report('error', error);
        // The next call tries again, for example after a server that the code needs is back.
        this.#loaded.delete(name);
        return failed('function_not_started');
      }
      return this.#answer(entry, withoutOwnHeaders(request));
    });
  }

  async #answer({ handler, onError }: Loaded, request: Request): Promise<Response> {
    try {
      const info = { remoteAddr: { transport: 'tcp', hostname: '127.0.0.1', port: 0 } };
      const response = await (handler as Handler)(request, info);
      if (response instanceof Response) return response;
      this.#report('error', new TypeError('The function returned no Response.'));
    } catch (error) {
      const shown = onError === null ? null : await onError(error);
      if (shown instanceof Response) return shown;
      this.#report('error', error);
    }
    return failed('function_failed');
  }

  /** Loads a function once. It is ready when it has registered a handler. */
  #load(name: string): Loaded {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const entry: Loaded = { handler: null, onError: null, register: () => undefined, ready: Promise.resolve() };
    const registered = new Promise<void>((resolve) => {
      entry.register = resolve;
    });
    this.#loaded.set(name, entry);
    entry.ready = this.#loadModule(name, entry, registered);
    return entry;
  }

  async #loadModule(name: string, entry: Loaded, registered: Promise<void>): Promise<void> {
    const { folder, startMilliseconds } = this.#configuration;
    const path = `${folder}/${runtimeFiles.code}/${name}.js`;
    await leadNodeModules(path, folder);
    const module: { default?: unknown } = await import(`file://${path}`);
    if (entry.handler !== null) return;
    const exported = module.default;
    const fetchOfModule = isObject(exported) ? exported.fetch : exported;
    if (typeof fetchOfModule === 'function') {
      entry.handler = (fetchOfModule as Handler).bind(exported);
      return;
    }
    const problem = 'The function calls no Deno.serve and has no default export with fetch.';
    let stop = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new Error(problem)), startMilliseconds);
      stop = () => clearTimeout(timer);
    });
    await Promise.race([registered, late]).finally(stop);
  }

  /** Returns the object that the module of a function has as `Deno`. */
  #denoOf(name: string): DenoApi {
    const serve = (...given: unknown[]): unknown => {
      const [first, second] = given;
      const options = isObject(first) ? first : {};
      const handler = typeof first === 'function' ? first : (second ?? options.handler);
      if (typeof handler !== 'function') throw new TypeError('Deno.serve needs a handler.');
      const entry = this.#loaded.get(name);
      if (entry) {
        entry.handler = handler as Handler;
        entry.onError = (options.onError as ErrorHandler | undefined) ?? null;
        entry.register();
      }
      return serverOf(options.onListen);
    };
    const exit = () => {
      throw new Error('A function cannot end its process.');
    };
    const upgradeWebSocket: DenoApi['upgradeWebSocket'] = (request, options) =>
      Deno.upgradeWebSocket((request as ShownRequest)[received] ?? request, options);
    const own = { serve, exit, upgradeWebSocket, ...connectionsOf(Deno, this.#configuration.folder) };
    return Object.create(Deno, Object.getOwnPropertyDescriptors(own)) as DenoApi;
  }
}

const failed = (code: string): Response => new Response(null, { status: 500, headers: { [ERROR_HEADER]: code } });

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns what Deno.serve returns: a server that runs as long as the process. */
function serverOf(onListen: unknown): object {
  const addr = { transport: 'tcp', hostname: '0.0.0.0', port: 8000 };
  if (typeof onListen === 'function') queueMicrotask(() => onListen(addr));
  const [finished, end, ignore] = [new Promise<void>(() => undefined), async () => undefined, () => undefined];
  return { addr, finished, ref: ignore, unref: ignore, shutdown: end, [Symbol.asyncDispose]: end };
}

/** The request that Deno received for a request of a function. Deno upgrades no copy of it. */
const received = Symbol('received');
type ShownRequest = Request & { [received]?: Request };

/** Returns the request as the client sent it, with the name of the function as the beginning of its path. */
function withoutOwnHeaders(request: Request): Request {
  const headers = new Headers(request.headers);
  const url = headers.get(URL_HEADER) ?? request.url;
  for (const name of [FUNCTION_HEADER, REQUEST_ID_HEADER, URL_HEADER]) headers.delete(name);
  const { method, body, signal } = request;
  const shown = new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit);
  return Object.defineProperty(shown, received, { value: request });
}

/** Leads connections of Node.js modules through the node. It takes time to load them, so it happens only for code that uses them. */
async function leadNodeModules(path: string, folder: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  if (!/["']node:(?:net|tls|https?|http2)["']/.test(text)) return;
  const { default: net } = await import('node:net');
  socketOf(net as unknown as NetModule, folder);
}

async function readConfiguration(): Promise<RuntimeConfiguration> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of Deno.stdin.readable) {
    text += decoder.decode(chunk, { stream: true });
    if (text.endsWith('\n')) break;
  }
  return JSON.parse(text) as RuntimeConfiguration;
}

new Functions(await readConfiguration()).start();
