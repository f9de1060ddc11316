import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../contract/call-request.ts';
import { findRoute, noContent, type Route } from './router.ts';

const route = (method: 'GET' | 'POST' | 'DELETE', path: string): Route<null> => ({
  method,
  path,
  handle: async () => noContent(),
});
const routes = [
  route('GET', '/apps'),
  route('GET', '/apps/:ref'),
  route('DELETE', '/apps/:ref'),
  route('POST', '/apps/:ref/sql'),
];
const find = (method: string, path: string) => findRoute(routes, { method, path } as CallRequest);

describe('findRoute', () => {
  it('returns the route and the decoded names of its path', () => {
    expect(find('GET', '/apps').route).toBe(routes[0]);
    expect(find('DELETE', '/apps/a%2Fb').params).toEqual({ ref: 'a/b' });
  });

  it('throws not_found for an unknown path, and method_not_allowed with the allowed methods', () => {
    expect(() => find('GET', '/apps/x/y')).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => find('PATCH', '/apps/x')).toThrow(
      expect.objectContaining({ code: 'method_not_allowed', headers: { allow: 'GET, DELETE' } }),
    );
  });

  it('throws for a path with invalid percent-encoding', () => {
    expect(() => find('GET', '/apps/%zz')).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
