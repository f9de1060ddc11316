import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killGroup } from './host/processes.ts';

/** Pause before the process is started again after it ended. */
const RESTART_MILLISECONDS = 1000;
/** How long the process may take to end its functions when the node stops. */
const STOP_MILLISECONDS = 3000;

/** Handlers of the primary for the process of the functions. */
export interface FunctionProcessHandlers {
  /** Called with the id of each started process; undefined if it could not be started. */
  readonly onStart: (pid: number | undefined) => void;
  /** Called with the reason when the process ended unexpectedly. */
  readonly onLost: (reason: string) => void;
}

/** The process that runs the edge functions of a node (`FunctionHost`). It is started again when it ends. */
export class FunctionProcess<Configuration extends object> {
  readonly #entry: URL;
  readonly #configuration: Configuration;
  readonly #certificates: string | null;
  readonly #handlers: FunctionProcessHandlers;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isStopping = false;

  /**
   * @param entry The built file of the process.
   * @param certificates The file of further certificate authorities that Node.js trusts; null without one.
   */
  constructor(
    entry: URL,
    configuration: Configuration,
    certificates: string | null,
    handlers: FunctionProcessHandlers,
  ) {
    this.#entry = entry;
    this.#configuration = configuration;
    this.#certificates = certificates;
    this.#handlers = handlers;
  }

  start(): void {
    const child = fork(fileURLToPath(this.#entry), {
      // The configuration arrives as a message, so that nothing of the node is in the environment.
      env: this.#certificates === null ? {} : { NODE_EXTRA_CA_CERTS: this.#certificates },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A group of its own, so that the processes of functions do not outlive it, also if the kernel kills it.
      detached: true,
    });
    this.#child = child;
    this.#handlers.onStart(child.pid);
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      this.#child = null;
      killGroup(child.pid);
      if (this.#isStopping) return;
      this.#handlers.onLost(String(signal ?? code));
      this.#timer = setTimeout(() => this.start(), RESTART_MILLISECONDS);
    });
    child.send(this.#configuration, () => undefined);
  }

  /** Ends the process and all functions. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#timer) clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
    // The process ends its functions when the connection to its parent closes.
    if (child.connected) child.disconnect();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    clearTimeout(timer);
  }
}
