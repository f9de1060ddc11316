import type { CallStep } from '../../contract/observed.ts';
import { toRequestTrace } from '../apps/log/request-trace.ts';
import type { CallEvent } from '../observe/events.ts';
import { safePath } from '../observe/safe-path.ts';
import { newSpanId } from '../observe/trace-context.ts';

/** Values of SpanKind and StatusCode (opentelemetry-proto, trace.proto). */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;
/** Bits of Span.flags: the flags of the trace, and that the parent is known to be remote or not. */
const SAMPLED = 0x01;
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;
const NANOSECONDS = 1e6;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

/** A span as OTLP has it in JSON: ids in hexadecimal digits, 64-bit numbers as text. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

/** Returns attributes; null is left out. */
const attributes = (values: Readonly<Record<string, string | number | null>>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === null
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  );

/**
 * Returns the spans of a request: one of the request, and below it one for each step. They contain names and times, the
 * statement with placeholders, and no values: neither query nor headers, bodies, addresses or members.
 */
export function spansOf(event: CallEvent): Span[] {
  const { context } = event.trace;
  if (context === null) return [];
  const { at, steps, sql } = toRequestTrace(event);
  const start = Date.parse(at);
  const time = (milliseconds: number) => nanoseconds(start, milliseconds);
  const { traceId, spanId, parentId, state } = context;
  const shared = { traceId, ...(state !== null && { traceState: state }) };
  const request: Span = {
    ...shared,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    flags: SAMPLED | HAS_IS_REMOTE | (parentId === null ? 0 : IS_REMOTE),
    name: `${event.method} ${event.call}`,
    kind: SERVER,
    startTimeUnixNano: time(0),
    endTimeUnixNano: time(event.milliseconds),
    attributes: attributes({
      'http.request.method': event.method,
      'url.path': safePath(event.path),
      'http.response.status_code': event.status,
      'error.type': event.code,
      'ninefold.app': event.app,
      'ninefold.area': event.area,
      'ninefold.call': event.call,
      'ninefold.limit': event.limit,
      'ninefold.request_id': event.requestId,
      'ninefold.role': event.role,
    }),
    status: event.status >= 500 ? { code: FAILED } : {},
  };
  const child = ({ name, from, took }: CallStep): Span => {
    const isDatabase = name === 'Execute';
    return {
      ...shared,
      spanId: newSpanId(),
      parentSpanId: spanId,
      flags: SAMPLED | HAS_IS_REMOTE,
      name,
      kind: isDatabase ? CLIENT : INTERNAL,
      startTimeUnixNano: time(from),
      endTimeUnixNano: time(from + took),
      attributes: isDatabase ? attributes({ 'db.system.name': 'postgresql', 'db.query.text': sql?.text ?? null }) : [],
      status: {},
    };
  };
  return [request, ...steps.map(child)];
}

/** Returns a time in nanoseconds since 1970 as text. The number exceeds the exact integers of JavaScript. */
const nanoseconds = (start: number, milliseconds: number): string =>
  String(BigInt(start) * BigInt(NANOSECONDS) + BigInt(Math.round(milliseconds * NANOSECONDS)));
