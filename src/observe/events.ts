import type { LimitName } from '../../contract/limits.ts';
import type { CallTrace } from './call-trace.ts';

/** Typed events of a node. Code emits them; the log and the statistics decide which to show. */
export type NinefoldEvent =
  | {
      type: 'call';
      app: string | null;
      area: 'rest' | 'auth' | 'portal' | 'admin' | 'web';
      call: string;
      method: string;
      path: string;
      /** As it was sent; holds values. */
      query: string;
      status: number;
      /** The code that the body carries. */
      code: string | null;
      /** Origin of the error, where it is known: a rule as schema.table.name, or a function that raised it. */
      subject: string | null;
      /** The limit that was hit. */
      limit: LimitName | null;
      milliseconds: number;
      requestId: string;
      address: string;
      role: string | null;
      userId: string | null;
      sessionId: string | null;
      /** How the caller showed who it is. */
      source: string | null;
      /** True for a builder's request, by the console or the CLI: it is not counted among the app's calls. */
      isByBuilder: boolean;
      trace: CallTrace;
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

/** One call that was answered. */
export type CallEvent = Extract<NinefoldEvent, { type: 'call' }>;

export type Listener = (event: NinefoldEvent) => void;

/** The one place events go through. A listener that throws does not disturb the others or the emitter. */
export class Events {
  readonly #listeners = new Set<Listener>();

  /** Returns the function that takes the listener off again. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: NinefoldEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // a broken listener must not fail a call
      }
    }
  }
}
