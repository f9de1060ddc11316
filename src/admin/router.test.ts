import { describe, expect, it } from 'vitest';
import { callsAt, chooseCall, route } from './router.ts';

const calls = [
  { route: 'GET /apps' },
  { route: 'GET /apps/:ref' },
  { route: 'DELETE /apps/:ref' },
  { route: 'POST /apps/:ref/sql' },
  { route: 'DELETE /apps/:ref/mails/:id' },
  { route: 'DELETE /apps/:ref/mails/test' },
];
const routed = route(calls);
const find = (method: string, path: string) => chooseCall(callsAt(routed, path), { method, path });

describe('chooseCall', () => {
  it('returns the call and the decoded names of its path', () => {
    expect(find('GET', '/apps')).toEqual({ call: calls[0], params: {} });
    expect(find('DELETE', '/apps/a%2Fb')).toEqual({ call: calls[2], params: { ref: 'a/b' } });
  });

  it('prefers a path without a name to a path with a name, whatever their order is', () => {
    expect(find('DELETE', '/apps/x/mails/test').call).toBe(calls[5]);
    expect(find('DELETE', '/apps/x/mails/y').call).toBe(calls[4]);
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
