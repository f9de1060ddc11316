import type { LimitName } from '../../contract/limits.ts';
import type { TraceRecorder } from './call-trace.ts';

/** Typed events of a node. Code emits them; the log and the statistics choose which ones to use. */
export type NinefoldEvent =
  | {
      type: 'call';
      app: string | null;
      area: 'rest' | 'auth' | 'portal' | 'admin' | 'web';
      call: string;
      method: string;
      path: string;
      /** Query as it was sent; may contain values. */
      query: string;
      status: number;
      /** Code in the response body. */
      code: string | null;
      /** Cause of the error, if known: a rule as schema.table.name, or the function that raised it. */
      subject: string | null;
      /** The limit that was exceeded. */
      limit: LimitName | null;
      milliseconds: number;
      requestId: string;
      address: string;
      role: string | null;
      userId: string | null;
      sessionId: string | null;
      /** The kind of credentials that the caller used. */
      source: string | null;
      /** True for a builder's request with the console or the CLI. Statistics of the app do not count it. */
      isByBuilder: boolean;
      trace: TraceRecorder;
    }
  | { type: 'fault'; requestId: string | null; where: string; error: unknown }
  | { type: 'postgres'; message: string; detail?: Record<string, unknown> }
  | { type: 'node'; what: 'started' | 'stopping' | 'stopped' | 'worker-lost'; detail?: Record<string, unknown> }
  | {
      type: 'app';
      what: 'created' | 'cloned' | 'deleted' | 'migrated' | 'catalog-loaded' | 'opened' | 'closed' | 'bounded';
      app: string;
      milliseconds?: number;
      detail?: Record<string, unknown>;
    }
  | {
      type: 'auth';
      what:
        | 'signed-up'
        | 'signed-in'
        | 'sign-in-failed'
        | 'refreshed'
        | 'reuse-detected'
        | 'signed-out'
        | 'session-revoked'
        | 'second-factor-verified'
        | 'second-factor-failed'
        | 'acted-as';
      app: string;
      userId: string | null;
      address: string | null;
    };

/** The event of one request that was answered. */
export type CallEvent = Extract<NinefoldEvent, { type: 'call' }>;

/** Receives events. */
export type Listener = (event: NinefoldEvent) => void;

/** Distributes events. An error of one listener affects neither other listeners nor the emitter. */
export class Events {
  readonly #listeners = new Set<Listener>();

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: NinefoldEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // A failing listener must not fail a request.
      }
    }
  }
}
