import { expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call-request.ts';
import { corsHeaders, isPreflight, preflightReply } from './app-headers.ts';

const question = (headers: Record<string, string>): CallRequest => ({
  method: 'OPTIONS',
  path: '/tickets',
  query: '',
  headers,
  body: null,
  stream: null,
  target: '/',
  address: '127.0.0.1',
  requestId: 'test',
  baseUrl: 'http://localhost:9009/apps/test',
  signal: new AbortController().signal,
});

it('preflightReply allows any method and every requested header in a preflight response', () => {
  const request = question({
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-profile, x-custom',
  });
  expect(isPreflight(request)).toBe(true);
  expect(preflightReply(request)).toMatchObject({
    status: 200,
    headers: {
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD',
      'access-control-allow-headers':
        'Authorization, content-profile, x-custom, Accept, Accept-Language, Content-Language',
      'access-control-max-age': '86400',
    },
  });
});

it('isPreflight treats OPTIONS without Access-Control-Request-Method as a normal request', () => {
  expect(isPreflight(question({}))).toBe(false);
});

it('corsHeaders exposes every response header to pages', () => {
  expect(corsHeaders).toEqual({ 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' });
});
