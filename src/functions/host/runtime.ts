import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '../../../contract/errors.ts';
import { type RuntimeConfiguration, type RuntimeMessage, runtimeFiles } from '../../../contract/function-runtime.ts';
import type { FunctionLogLine } from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { type AppAddresses, AppSockets } from './app-sockets.ts';
import { useOf } from './processes.ts';
import { readLines } from './read-lines.ts';

/** Bounds of a runtime that the node's configuration changes. */
export interface RuntimeBounds {
  readonly functionMemoryBytes: number;
  readonly functionProcessorSeconds: number;
  readonly functionSeconds: number;
}

/** The functions of an app, as a worker sends them. */
export interface Deployment {
  /** Identifies functions and secrets (`ActiveFunctions.identity`). */
  readonly identity: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The bundle of each function by its name. */
  readonly bundles: Readonly<Record<string, string>>;
  readonly addresses: AppAddresses;
}

/** Parts that all runtimes of a node share. */
export interface RuntimeParts {
  /** The program deno. */
  readonly program: string;
  /** The built file of `runtime/bootstrap.ts`. */
  readonly bootstrap: string;
  readonly policy: AddressPolicy;
  readonly bounds: RuntimeBounds;
  /** The user that runs the functions of an app; null for the user of this process. */
  readonly userOf: (ref: string) => { uid: number; gid: number } | null;
  /** Called with the id of each process. */
  readonly onStart: (pid: number) => void;
}

/** A line of output of one app. */
export type OutputLine = Omit<FunctionLogLine, 'id'>;

/** Interval of the checks of memory and processor time. */
const CHECK_MILLISECONDS = 250;
/** Part of the memory that JavaScript objects may use. The rest is for buffers, code and Deno itself. */
const HEAP_SHARE = 0.6;
const MEBIBYTE = 1024 * 1024;
const MILLISECONDS = 1000;
/** Functions run after the requests of the node if the processor is short (nice(2)). */
const PRIORITY = 10;
/** Open files and sockets of a process: those of its connections, and of Deno itself. */
const DESCRIPTORS = 512;
/** Time for which output lines are counted, for the limit functionLogLines. */
const LOG_WINDOW_MILLISECONDS = 10_000;
/** Characters of a line of the runtime that is no message: its own errors, such as those of V8. */
const RAW_CHARACTERS = 2000;
const FOLDER_MODE = 0o700;
/** Modes while functions run: only their own user may enter the folder, and not even this user may change it. */
const CLOSED_FOLDER_MODE = 0o500;
const SHARED_FOLDER_MODE = 0o710;
/**
 * Environment variables that functions can neither read nor set, because Deno and the C library obey them without asking for permission:
 * proxies of Deno's HTTP clients, domains and files for looking up names, and files to which or from which Deno writes or reads keys.
 */
const ignoredVariables: readonly string[] = [
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]),
  ...['LOCALDOMAIN', 'RES_OPTIONS', 'HOSTALIASES', 'SSLKEYLOGFILE', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['DENO_CERT', 'DENO_TLS_CA_STORE', 'DENO_AUDIT_PERMISSIONS', 'DENO_TRACE_PERMISSIONS', 'DENO_DIR', 'TMPDIR'],
];
/** Characters of a name and of a request id in a message. */
const NAME_CHARACTERS = 200;
/** Signals with which V8 ends its process when memory runs out. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string> = new Set(['SIGTRAP', 'SIGABRT', 'SIGILL']);

/**
 * One process of Deno that runs the functions of an app. It has no file system, no environment but its own, and no network: it talks to the
 * node through sockets in its folder. A process that exceeds a bound is killed.
 */
export class Runtime {
  readonly ref: string;
  /** The connections to the process. */
  readonly agent = new Agent({ keepAlive: true });
  /** Number of calls that run. */
  running = 0;
  /** When the last call ended, as `performance.now()`. */
  lastUsed = performance.now();
  /** Duration of the start in milliseconds. */
  startMilliseconds = 0;
  readonly #parts: RuntimeParts;
  readonly #folder: string;
  readonly #sockets: AppSockets;
  readonly #onLine: (line: OutputLine) => void;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #cause: ErrorCode | null = null;
  #memoryBytes = 0;
  /** Processor time when a call ended last. */
  #processorBase = 0;
  #hasFinished = false;
  #logged = 0;
  #unlogged = 0;
  #logWindow = 0;
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;

  /** @param folder A folder that this runtime alone uses. */
  constructor(
    ref: string,
    deployment: Deployment,
    folder: string,
    parts: RuntimeParts,
    onLine: (line: OutputLine) => void,
  ) {
    this.ref = ref;
    this.#parts = parts;
    this.#folder = folder;
    this.#sockets = new AppSockets(deployment.addresses, parts.policy);
    this.#onLine = onLine;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The path of the socket on which the process accepts calls. */
  get socketPath(): string {
    return join(this.#folder, runtimeFiles.serve);
  }

  /** Memory in bytes at the last check; 0 where it cannot be measured. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  get hasEnded(): boolean {
    return this.#child === null;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** The code for calls that the end of the process interrupted. */
  get endCode(): ErrorCode {
    return this.#cause ?? 'function_failed';
  }

  /**
   * Starts the process. Resolves when it accepts calls.
   * @throws Error if it ends before
   */
  async start({ variables, bundles }: Deployment): Promise<void> {
    const started = performance.now();
    const user = this.#parts.userOf(this.ref);
    await this.#fillFolder(bundles, user);
    await this.#sockets.listen(this.#folder);
    const child = spawn('/bin/sh', ['-c', this.#script(), 'sh', this.#parts.program, ...this.#arguments()], {
      cwd: '/',
      // Secrets are sent on standard input: an environment variable could change how the program is loaded.
      env: {
        HOME: '/nonexistent',
        DENO_DIR: '/dev/null/deno',
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
        TZ: 'UTC',
        LANG: 'C.UTF-8',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    this.#child = child;
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    if (child.pid !== undefined) {
      this.#parts.onStart(child.pid);
      lowerPriority(child.pid);
    }
    const ready = this.#readOutput(child);
    const exit = once(child, 'exit').then(([code, signal]) =>
      this.#onExit(code as number | null, signal as string | null),
    );
    const configuration: RuntimeConfiguration = {
      folder: this.#folder,
      variables,
      functions: Object.keys(bundles),
      startMilliseconds: limits.functionStartSeconds.default * MILLISECONDS,
      logCharacters: limits.functionLogCharacters.default,
    };
    child.stdin.end(`${JSON.stringify(configuration)}\n`);
    const isReady = await Promise.race([ready.then(() => true), exit.then(() => false)]);
    if (!isReady) throw new Error('The process of the functions ended at its start.');
    await this.#closeFolder(user);
    this.startMilliseconds = performance.now() - started;
    this.#line('start', `started in ${Math.round(this.startMilliseconds)} ms`, this.startMilliseconds);
    this.#timer = setInterval(() => this.#check(), CHECK_MILLISECONDS);
    this.#check();
  }

  /** Notes that a call ended, so that its processor time no longer counts. */
  onFinished(): void {
    this.running--;
    this.lastUsed = performance.now();
    this.#hasFinished = true;
  }

  /** Asks the process to end after its background work, and kills it when the time of a call has passed. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#parts.bounds.functionSeconds * MILLISECONDS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends the process at once. @param cause The code for interrupted calls. */
  kill(cause: ErrorCode | null = null): void {
    this.#cause ??= cause;
    this.#child?.kill('SIGKILL');
  }

  /** Limits of the operating system: no file can be written, and no core is dumped. */
  #script(): string {
    return `ulimit -f 0; ulimit -c 0; ulimit -n ${DESCRIPTORS}; exec "$@"`;
  }

  #arguments(): string[] {
    const paths = [runtimeFiles.serve, runtimeFiles.http, runtimeFiles.tcp].map((name) => join(this.#folder, name));
    const heap = Math.floor((this.#parts.bounds.functionMemoryBytes * HEAP_SHARE) / MEBIBYTE);
    return [
      ...[
        'run',
        '--quiet',
        '--no-prompt',
        '--no-config',
        '--no-lock',
        '--no-remote',
        '--no-npm',
        '--cached-only',
        '--no-code-cache',
        // The signal of a request then means that the client has gone.
        '--unstable-no-legacy-abort',
      ],
      '--allow-env',
      // Packages ask for these when they are loaded. Supabase's runtime allows them too.
      '--allow-sys=hostname,cpus',
      `--ignore-env=${ignoredVariables.join(',')}`,
      `--allow-net=255.255.255.255:80,${paths.map((path) => `unix:${path}`).join(',')}`,
      `--allow-read=${[...paths, join(this.#folder, runtimeFiles.code)].join(',')}`,
      `--allow-write=${paths.join(',')}`,
      `--v8-flags=--max-old-space-size=${heap}`,
      this.#parts.bootstrap,
    ];
  }

  async #fillFolder(bundles: Deployment['bundles'], user: ReturnType<RuntimeParts['userOf']>): Promise<void> {
    const code = join(this.#folder, runtimeFiles.code);
    await mkdir(code, { recursive: true, mode: 0o755 });
    for (const [name, bundle] of Object.entries(bundles)) {
      // The module gets a `Deno` of its own, which registers its handler under its name.
      const own = `const Deno = globalThis[Symbol.for("ninefold.deno")](${JSON.stringify(name)});`;
      await writeFile(join(code, `${name}.js`), `${own} ${bundle}`, { mode: 0o644 });
    }
    await chmod(this.#folder, FOLDER_MODE);
    if (user) await chown(this.#folder, user.uid, user.gid);
  }

  /** Takes the right to write in the folder away: its sockets could be replaced by folders and files that fill the disk. */
  async #closeFolder(user: ReturnType<RuntimeParts['userOf']>): Promise<void> {
    if (user) await chown(this.#folder, 0, user.gid);
    await chmod(this.#folder, user ? SHARED_FOLDER_MODE : CLOSED_FOLDER_MODE);
  }

  /** Deletes the folder after the process has ended. */
  async #removeFolder(): Promise<void> {
    await chmod(this.#folder, FOLDER_MODE);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Reads the messages of the process. Resolves when it is ready. */
  #readOutput(child: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      const read = (text: string) => {
        const message = parseMessage(text);
        if (message === null) this.#limited('error', null, null, text.slice(0, RAW_CHARACTERS));
        else if (message.type === 'ready') resolve();
        else this.#limited(message.level, message.function, message.requestId, message.message);
      };
      this.#readLines(child.stdout, read);
      this.#readLines(child.stderr, (text) => this.#limited('error', null, null, text.slice(0, RAW_CHARACTERS)));
    });
  }

  #readLines(stream: NodeJS.ReadableStream | null, onLine: (text: string) => void): void {
    if (stream === null) return;
    const isFull = () => this.#hasLoggedMax();
    const onSkipped = (count: number) => {
      this.#unlogged += count;
    };
    void readLines(stream, { maxBytes: MAX_LINE_BYTES, isFull, onLine, onSkipped }).catch(() => undefined);
  }

  /** Returns true if no further line is stored for now. */
  #hasLoggedMax(): boolean {
    const now = performance.now();
    if (now - this.#logWindow > LOG_WINDOW_MILLISECONDS) {
      this.#reportUnlogged();
      this.#logWindow = now;
      this.#logged = 0;
    }
    return this.#logged >= limits.functionLogLines.default;
  }

  /** Adds a line of output, unless there were too many in the last seconds. */
  #limited(level: OutputLine['level'], name: string | null, requestId: string | null, message: string): void {
    if (this.#hasLoggedMax()) {
      this.#unlogged++;
      return;
    }
    this.#logged++;
    const text = message.slice(0, limits.functionLogCharacters.default);
    this.#onLine({
      at: new Date().toISOString(),
      function: name,
      request_id: requestId,
      level,
      message: text,
      milliseconds: null,
    });
  }

  #reportUnlogged(): void {
    if (this.#unlogged > 0) this.#line('warn', `${this.#unlogged} lines were not stored: the limit functionLogLines`);
    this.#unlogged = 0;
  }

  #line(level: OutputLine['level'], message: string, milliseconds: number | null = null): void {
    this.#onLine({ at: new Date().toISOString(), function: null, request_id: null, level, message, milliseconds });
  }

  #check(): void {
    const pid = this.#child?.pid;
    const use = pid === undefined ? null : useOf(pid);
    if (use === null) return;
    this.#memoryBytes = use.memoryBytes;
    if (this.#hasFinished) {
      this.#hasFinished = false;
      this.#processorBase = use.processorMilliseconds;
    }
    const { functionMemoryBytes, functionProcessorSeconds } = this.#parts.bounds;
    if (use.memoryBytes > functionMemoryBytes) this.kill('function_memory_exceeded');
    else if (use.processorMilliseconds - this.#processorBase > functionProcessorSeconds * MILLISECONDS) {
      this.kill('function_processor_exceeded');
    }
  }

  #onExit(code: number | null, signal: string | null): void {
    this.#child = null;
    if (this.#timer) clearInterval(this.#timer);
    if (signal !== null && OUT_OF_MEMORY_SIGNALS.has(signal)) this.#cause ??= 'function_memory_exceeded';
    this.#reportUnlogged();
    if (this.#cause !== null) this.#line('error', reasons[this.#cause] ?? 'The process was ended.');
    else if (code !== 0 && signal !== 'SIGTERM' && signal !== 'SIGKILL') {
      this.#line(
        'error',
        `The process ended with ${signal ?? code}${signal === 'SIGXFSZ' ? ': functions cannot write files' : ''}.`,
      );
    } else this.#line('end', 'ended after a time without calls');
    this.#sockets.close();
    this.agent.destroy();
    this.#end();
    void this.#removeFolder().catch(() => undefined);
  }
}

const reasons: Partial<Record<ErrorCode, string>> = {
  function_memory_exceeded: 'The process was ended: it used more memory than the limit functionMemoryBytes.',
  function_processor_exceeded:
    'The process was ended: it used more processor time than the limit functionProcessorSeconds without finishing a call.',
};

function parseMessage(text: string): RuntimeMessage | null {
  if (!text.startsWith('{"type":"')) return null;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    if (value.type === 'ready') return { type: 'ready' };
    const isText = (each: unknown): each is string => typeof each === 'string';
    const { level, function: name, requestId, message } = value;
    if (value.type !== 'log' || !isText(message) || !isText(level) || !levels.has(level)) return null;
    return {
      type: 'log',
      level: level as 'info',
      function: isText(name) ? name.slice(0, NAME_CHARACTERS) : null,
      requestId: isText(requestId) ? requestId.slice(0, NAME_CHARACTERS) : null,
      message,
    };
  } catch {
    return null;
  }
}

const levels: ReadonlySet<string> = new Set(['debug', 'info', 'warn', 'error']);

/** Characters of a line of output, with the JSON around it, after which the line ends. */
const MAX_LINE_BYTES = 8 * limits.functionLogCharacters.default;

/** Ignores an error: the process may have ended, or the system may have no priorities. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY);
  } catch {
    // The functions then run at the priority of the node.
  }
}
