import { randomBytes } from 'node:crypto';
import type { TraceContext } from '../../contract/call-request.ts';

/** Version 00 and later versions, which may have further fields (W3C Trace Context, section 3.2). */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** A member of tracestate (section 3.3.1): a key, and a value without comma and equals sign. */
const MEMBER = /^[a-z\d][a-z\d_\-*/@]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]*[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_MEMBERS = 32;
const MAX_STATE_CHARACTERS = 512;
const SAMPLED = 1;

/** Returns a new id of a span: eight random bytes in hexadecimal digits. */
export const newSpanId = (): string => randomBytes(8).toString('hex');

/**
 * Reads the headers `traceparent` and `tracestate` of a request (W3C Trace Context). Returns null without a valid
 * `traceparent`. An invalid `tracestate` is ignored, and the trace goes on without it.
 */
export function readTraceContext(headers: {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}): TraceContext | null {
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(headers.traceparent ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return null;
  return {
    traceId,
    parentId,
    spanId: newSpanId(),
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    state: readState(headers.tracestate),
  };
}

/** Returns the members of tracestate without empty ones; null if the list is invalid or empty. */
function readState(text = ''): string | null {
  if (text.length > MAX_STATE_CHARACTERS) return null;
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > MAX_MEMBERS || !members.every((one) => MEMBER.test(one))) return null;
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  return keys.size === members.length ? members.join(',') : null;
}

/** Returns the headers that hand a trace on to another server, with this request as the parent. */
export function traceHeaders(context: TraceContext | null | undefined): Record<string, string> {
  if (!context) return {};
  const { traceId, spanId, isSampled, state } = context;
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    ...(state !== null && { tracestate: state }),
  };
}

/** Decides which requests are traced: those of a sampled trace, and a share of those without a trace. */
export class TraceSampler {
  readonly #ratio: number;

  /** @param ratio Share of the requests without `traceparent` that start a trace, from 0 to 1. */
  constructor(ratio: number) {
    this.#ratio = ratio;
  }

  /** Returns the trace of a request; null if it belongs to none. */
  contextOf(headers: Parameters<typeof readTraceContext>[0]): TraceContext | null {
    if (headers.traceparent !== undefined) {
      const context = readTraceContext(headers);
      if (context !== null) return context;
    }
    if (this.#ratio === 0 || Math.random() >= this.#ratio) return null;
    return {
      traceId: randomBytes(16).toString('hex'),
      parentId: null,
      spanId: newSpanId(),
      isSampled: true,
      state: null,
    };
  }
}
