import type { TraceContext } from '../../contract/call-request.ts';
import { type LimitName, limits } from '../../contract/limits.ts';
import type { RefusedTransition } from '../../contract/observed.ts';

/** Typed events of a node. Code emits them; the log and the statistics choose which ones to use. */
export type NinefoldEvent =
  | {
      type: 'call';
      app: string | null;
      area: 'rest' | 'auth' | 'storage' | 'realtime' | 'functions' | 'portal' | 'admin' | 'web';
      call: string;
      method: string;
      path: string;
      /** The query string as the client sent it. It may contain values. */
      query: string;
      status: number;
      /** The error code in the body of the response; null if the request succeeded. */
      code: string | null;
      /**
       * What caused the error: a constraint as schema.table.name, or the function that raised the error; null if it is
       * not known.
       */
      subject: string | null;
      /** The limit that the request exceeded; null if it exceeded none. */
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
      /**
       * True if the client disconnected before the response. Statistics do not count its error, because nobody got the
       * response and nothing went wrong.
       */
      isAbandoned: boolean;
      trace: TraceRecorder;
    }
  /** A channel of realtime was refused, or follows the changes of a table. */
  | {
      type: 'channel';
      app: string;
      /** The id of the call in chapter 7; null for a channel as a whole. */
      call: string | null;
      /** Milliseconds since 1970. */
      at: number;
      milliseconds: number;
      /** The code of the refusal; null without one. */
      code: string | null;
      limit: LimitName | null;
      /** The member; null for others, and if the caller is not known. */
      userId: string | null;
      isByBuilder: boolean;
    }
  | { type: 'fault'; requestId: string | null; where: string; error: unknown }
  /** A call returned an error that its definition does not declare, so chapter 8 lacks it. */
  | { type: 'undeclared-error'; call: string; code: string }
  | { type: 'postgres' | 'backup'; message: string; detail?: Record<string, unknown> }
  | {
      type: 'node';
      /** `link-lost` and `link-working`: whether messages of realtime reach other nodes. */
      what:
        | 'started'
        | 'stopping'
        | 'stopped'
        | 'worker-lost'
        | 'backup-process-lost'
        | 'function-process-lost'
        | 'link-lost'
        | 'link-working';
      detail?: Record<string, unknown>;
    }
  | {
      type: 'app';
      what:
        | 'created'
        | 'cloned'
        | 'restored'
        | 'moved'
        | 'deleted'
        | 'migrated'
        | 'catalog-loaded'
        | 'opened'
        | 'closed'
        | 'bounded'
        | 'interrupted';
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

/** The event of a request after its response was sent. */
export type CallEvent = Extract<NinefoldEvent, { type: 'call' }>;

type EventType = NinefoldEvent['type'];

/** An event about a channel of realtime. */
export type ChannelEvent = Extract<NinefoldEvent, { type: 'channel' }>;

/** The types of the events that the log can contain. */
export const eventTypes = [
  'call',
  'fault',
  'undeclared-error',
  'postgres',
  'backup',
  'node',
  'app',
  'auth',
] as const satisfies readonly EventType[];

/** Distributes events. An error of one listener affects neither other listeners nor the emitter. */
export class Events {
  readonly #listeners = new Map<EventType, Set<(event: NinefoldEvent) => void>>();

  /** Adds a listener for events of some types. Returns a function that removes it. */
  listen<T extends EventType>(
    types: readonly T[],
    listener: (event: Extract<NinefoldEvent, { type: T }>) => void,
  ): () => void {
    const listeners = types.map((type) => {
      const known = this.#listeners.get(type) ?? new Set();
      this.#listeners.set(type, known);
      return known.add(listener as (event: NinefoldEvent) => void);
    });
    return () => {
      for (const each of listeners) each.delete(listener as (event: NinefoldEvent) => void);
    };
  }

  emit(event: NinefoldEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) {
      try {
        listener(event);
      } catch {
        // The error of a listener is ignored, because it must not make a request fail.
      }
    }
  }
}

/** A relation that a request reads or writes. */
export interface TouchedRelation {
  readonly schema: string;
  readonly name: string;
}

export type TouchedBy = 'select' | 'insert' | 'update' | 'delete' | 'execute';

/** Names of a data request, without values. */
export interface PlanNames {
  /** Id of the call in chapter 7. */
  readonly call: string;
  readonly operation: TouchedBy;
  /** Relations and functions that the request uses; the first is its target. */
  readonly relations: readonly TouchedRelation[];
}

/**
 * Records one request: the time at which each step ended, in milliseconds of performance.now() (0 for steps that were
 * not reached), and names of calls and relations, but no values. Every request has a trace, so it consists of plain
 * fields.
 */
export class TraceRecorder {
  /** Time at which the request began, in milliseconds since 1970. */
  readonly at = Date.now();
  readonly started = performance.now();
  limited = 0;
  received = 0;
  opened = 0;
  identified = 0;
  planned = 0;
  built = 0;
  ran = 0;
  /** Time at which an error was caught; 0 if there was no error. */
  failed = 0;
  ended = 0;
  /** Duration in the database in milliseconds, without the wait for a connection; 0 if unknown. */
  databaseMilliseconds = 0;
  /** Id that the call has in chapter 7; null if it is not known yet. */
  call: string | null = null;
  operation: TouchedBy | null = null;
  /** Relations and functions that the request uses; the first is its target. */
  relations: readonly TouchedRelation[] = none;
  /** Text of the statement that gives the result, and the number of its parameters. */
  sql: string | null = null;
  parameters = 0;
  /** The state change that a state machine refused. */
  refused: RefusedTransition | null = null;
  /** Duration in milliseconds from which a request of this app counts as slow. */
  slowMilliseconds: number = limits.slowCallMilliseconds.default;
  /** The trace to which the request belongs; null if it belongs to none. */
  context: TraceContext | null = null;
  /** True if the response contains only a part of the rows, because the limit pageRows applied. */
  cut = false;

  /** Records that a request was planned. */
  recordPlan(names: PlanNames): void {
    this.call = names.call;
    this.operation = names.operation;
    this.relations = names.relations;
    this.planned = performance.now();
  }

  /** Records the statement that gives the result, without its values. */
  recordStatement(text: string | null, parameters: number): void {
    this.sql = text;
    this.parameters = parameters;
    this.built = performance.now();
  }
}

const none: readonly TouchedRelation[] = [];
