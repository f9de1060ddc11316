import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BackupState } from '../../contract/backup.ts';

/** Pause before the process is started again after it ended. */
const RESTART_MILLISECONDS = 2000;
/** How long the process may take to store the last WAL when the node stops. */
const FINISH_MILLISECONDS = 12_000;
/** The memory that JavaScript may use, in megabytes: the manifest of many databases is large. */
const HEAP_MEGABYTES = 1024;

/** Messages from the primary to the backup process. */
export type ToBackupProcess<Configuration> =
  | { readonly type: 'configure'; readonly configuration: Configuration }
  | { readonly type: 'finish' };

/** Messages from the backup process: a line for the log of the node, or the state of the backups. */
export type FromBackupProcess =
  | { readonly message: string; readonly detail?: Record<string, unknown> }
  | { readonly state: BackupState };

export interface BackupProcessHandlers {
  /** Called with the id of each started process; undefined if it could not be started. */
  readonly onStart: (pid: number | undefined) => void;
  /** Called with the reason when the process ended unexpectedly. */
  readonly onLost: (reason: string) => void;
  readonly onLog: (message: string, detail?: Record<string, unknown>) => void;
}

/**
 * The process that backs the node up. It is apart from the primary, because encryption and compression take processor
 * time, and it is started again when it ends.
 */
export class BackupProcess<Configuration extends object> {
  readonly #entry: URL;
  readonly #configuration: Configuration;
  readonly #certificates: string | null;
  readonly #onLost: BackupProcessHandlers['onLost'];
  readonly #onLog: BackupProcessHandlers['onLog'];
  readonly #onStart: BackupProcessHandlers['onStart'];
  #child: ChildProcess | null = null;
  #state: BackupState | null = null;
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
    { onStart, onLost, onLog }: BackupProcessHandlers,
  ) {
    this.#entry = entry;
    this.#configuration = configuration;
    this.#certificates = certificates;
    this.#onStart = onStart;
    this.#onLost = onLost;
    this.#onLog = onLog;
  }

  /** The last state that the process reported; null before the first. */
  get state(): BackupState | null {
    return this.#state;
  }

  start(): void {
    const child = fork(fileURLToPath(this.#entry), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      // The configuration arrives as a message, so that no secret is in the environment.
      env: this.#certificates === null ? {} : { NODE_EXTRA_CA_CERTS: this.#certificates },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#onStart(child.pid);
    child.on('error', () => undefined);
    child.on('message', (message: FromBackupProcess) => {
      if ('state' in message) this.#state = message.state;
      else this.#onLog(message.message, message.detail);
    });
    child.once('exit', (code, signal) => {
      this.#child = null;
      if (this.#isStopping) return;
      this.#onLost(String(signal ?? code));
      this.#timer = setTimeout(() => this.start(), RESTART_MILLISECONDS);
    });
    this.#send({ type: 'configure', configuration: this.#configuration });
  }

  /**
   * Tells the process that PostgreSQL is about to stop, so that it ends with the last WAL. Call `stop` after PostgreSQL has
   * stopped.
   */
  finish(): void {
    this.#isStopping = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#send({ type: 'finish' });
  }

  /** Waits for the end of the process, and kills it if it takes too long. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const timer = setTimeout(() => child.kill('SIGKILL'), FINISH_MILLISECONDS);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    clearTimeout(timer);
  }

  #send(message: ToBackupProcess<Configuration>): void {
    // If the message cannot be sent, the process has ended.
    this.#child?.send(message, () => undefined);
  }
}
