import { describe, expect, it } from 'vitest';
import { readTraceContext, TraceSampler, traceHeaders } from './trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const valid = `00-${trace}-${parent}-01`;

describe('readTraceContext', () => {
  it('reads the trace, the parent and the flag of sampling, and names a new span', () => {
    const read = readTraceContext({ traceparent: valid, tracestate: 'rojo=00f067aa0ba902b7 , ,congo=t61rcWkgMzE' });
    expect(read).toMatchObject({ traceId: trace, parentId: parent, isSampled: true });
    expect(read?.state).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
    expect(read?.spanId).toMatch(/^[\da-f]{16}$/);
    expect(read?.spanId).not.toBe(parent);
  });

  it.each([
    ['an unsampled trace', `00-${trace}-${parent}-00`, false],
    ['unknown flags', `00-${trace}-${parent}-02`, false],
    ['a later version with more fields', `01-${trace}-${parent}-03-more`, true],
  ])('accepts %s', (_, traceparent, isSampled) => {
    expect(readTraceContext({ traceparent })?.isSampled).toBe(isSampled);
  });

  it.each([
    '',
    'x',
    `${valid}-more`,
    valid.toUpperCase(),
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${parent}-1`,
    `${valid}, ${valid}`,
    `00-${trace}'; drop table x; --01`,
  ])('ignores “%s”', (traceparent) => {
    expect(readTraceContext({ traceparent })).toBeNull();
  });

  it.each(['no', 'a=1,a=2', 'A=1', 'a="1,b', `a=${'x'.repeat(600)}`, 'a=b\u0001'])(
    'drops the tracestate “%s”',
    (state) => {
      expect(readTraceContext({ traceparent: valid, tracestate: state })).toMatchObject({
        traceId: trace,
        state: null,
      });
    },
  );
});

describe('traceHeaders', () => {
  it('names the own span as the parent', () => {
    const context = readTraceContext({ traceparent: valid, tracestate: 'a=1' });
    expect(traceHeaders(context)).toEqual({ traceparent: `00-${trace}-${context?.spanId}-01`, tracestate: 'a=1' });
    expect(traceHeaders(null)).toEqual({});
  });
});

describe('TraceSampler', () => {
  it('follows the parent and otherwise starts a trace by the ratio', () => {
    expect(new TraceSampler(1).contextOf({ traceparent: `00-${trace}-${parent}-00` })?.isSampled).toBe(false);
    expect(new TraceSampler(0).contextOf({ traceparent: valid })?.isSampled).toBe(true);
    expect(new TraceSampler(0).contextOf({ traceparent: 'x' })).toBeNull();
    expect(new TraceSampler(1).contextOf({})).toMatchObject({ parentId: null, isSampled: true });
  });
});
