import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { CallEvent, Events } from '../observe/events.ts';
import { type Span, spansOf } from './otlp-spans.ts';
import type { PartCounter } from './worker-report.ts';

/** Time in which requests are collected before they are sent together. */
const COLLECT_MILLISECONDS = 1000;
/** Statuses after which OTLP lets a client send a batch again (OTLP specification, "Failures"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Pause before a batch is sent again. Each batch is sent at most twice. */
const RETRY_MILLISECONDS = 2000;

/** The collector that gets the spans. */
export interface Collector {
  /** URL without `/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends the spans of sampled requests to an OpenTelemetry collector, as JSON over HTTP (OTLP). Spans are made when they
 * are sent. A request never waits: if the queue is full or the collector fails, spans are dropped and counted.
 */
export class SpanExporter {
  readonly #collector: Collector;
  readonly #version: string;
  readonly #onFailure: (error: Error) => void;
  #queue: CallEvent[] = [];
  #sending: Promise<void> | null = null;
  #isStopping = false;
  readonly #stopping = new AbortController();
  #sent = 0;
  #dropped = 0;
  #hasFailed = false;

  /** @param onFailure Called with the first error after a success, so that a stopped collector does not fill the log. */
  constructor(collector: Collector, version: string, onFailure: (error: Error) => void) {
    this.#collector = collector;
    this.#version = version;
    this.#onFailure = onFailure;
  }

  start(events: Events): void {
    events.listen(['call'], (event) => {
      if (event.trace.context?.isSampled) this.#add(event);
    });
  }

  /** Sends the rest of the queue once, then stops. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopping.abort();
    await this.#sending;
    if (this.#queue.length > 0) await this.#sendBatch();
  }

  counters(): PartCounter[] {
    return [
      ['ninefold_spans_sent_total', this.#sent],
      ['ninefold_spans_dropped_total', this.#dropped],
    ];
  }

  #add(event: CallEvent): void {
    if (this.#queue.length >= limits.queuedTraces.default) {
      this.#dropped += spansOf(event).length;
      return;
    }
    this.#queue.push(event);
    if (this.#isStopping) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stopping;
    await delay(COLLECT_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
    while (this.#queue.length > 0 && !this.#isStopping) await this.#sendBatch();
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#queue.slice(0, limits.tracesPerExport.default);
    this.#queue = this.#queue.slice(batch.length);
    const spans = batch.flatMap(spansOf);
    const body = JSON.stringify(this.#request(spans));
    try {
      const rejected = await this.#post(body);
      this.#sent += spans.length - rejected;
      this.#dropped += rejected;
      this.#hasFailed = false;
    } catch (error) {
      this.#dropped += spans.length;
      if (!this.#hasFailed) this.#onFailure(error instanceof Error ? error : new Error(String(error)));
      this.#hasFailed = true;
    }
  }

  /**
   * Posts a batch. Returns the number of spans that the collector rejected.
   * @throws Error if the collector did not accept the batch
   */
  async #post(body: string): Promise<number> {
    for (let isLast = this.#isStopping; ; isLast = true) {
      const response = await fetch(`${this.#collector.url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#collector.headers },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(limits.exportMilliseconds.default),
      });
      if (response.ok) return rejectedIn(await response.text());
      await response.body?.cancel();
      if (isLast || !RETRYABLE.has(response.status)) throw new Error(`the collector answered ${response.status}`);
      const { signal } = this.#stopping;
      await delay(RETRY_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Returns an ExportTraceServiceRequest (opentelemetry-proto). */
  #request(spans: readonly Span[]) {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    return {
      resourceSpans: [
        {
          resource: {
            attributes: [
              text('service.name', 'ninefold'),
              text('service.version', this.#version),
              text('service.instance.id', `${hostname()}:${process.pid}`),
              text('host.name', hostname()),
            ],
          },
          scopeSpans: [{ scope: { name: 'ninefold', version: this.#version }, spans }],
        },
      ],
    };
  }
}

/** Returns the number of rejected spans in an ExportTraceServiceResponse. */
function rejectedIn(body: string): number {
  try {
    const { partialSuccess } = JSON.parse(body) as { partialSuccess?: { rejectedSpans?: string | number } };
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0;
  } catch {
    return 0;
  }
}
