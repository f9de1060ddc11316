import { describe, expect, it } from 'vitest';
import { readAppPath } from './app-calls.ts';

const call = (ref: string, area: string | null, path: string, more: object = {}) => ({
  ref,
  area,
  path,
  query: '',
  isByBuilder: false,
  ...more,
});

describe('readAppPath', () => {
  it.each([
    ['/apps/shop/rest/v1/t?id=eq.1', call('shop', 'rest', '/t', { query: 'id=eq.1' })],
    ['/apps/shop/auth/v1', call('shop', 'auth', '/')],
    ['/%61pps/sh%6fp/r%65st/v%31/a%2fb', call('shop', 'rest', '/a%2fb')],
    ['/apps/shop/openapi.json', call('shop', 'openapi.json', '/openapi.json')],
    ['/apps/shop', call('shop', null, '')],
    ['/apps/shop/rest/v10', call('shop', null, '/rest/v10')],
    ['/apps/shop?/rest/v1', call('shop', null, '', { query: '/rest/v1' })],
    ['/apps/%ff/rest/v1', call('%ff', 'rest', '/')],
    ['/admin/v1/apps/shop/rest/v1/t', call('shop', 'rest', '/t', { isByBuilder: true })],
    ['/%61dmin/v1/apps/shop/auth/v1', call('shop', 'auth', '/', { isByBuilder: true })],
  ])('finds the app on the node’s origin in %s', (target, found) => {
    expect(readAppPath(target, null, null)).toEqual(found);
  });

  it.each([
    '/',
    '/apps',
    '/apps/',
    '//apps/shop/rest/v1',
    '/assets/index.js',
    '/rest/v1/t',
    '/admin/v1/apps/shop/sql',
    '/admin/v1/apps/shop/settings/v1',
    '/admin/v1/status/rest/v1',
  ])('returns null for %s on the node’s origin, which belongs to the node', (target) => {
    expect(readAppPath(target, null, null)).toBeNull();
  });

  it.each(['oauth-authorization-server', 'openid-configuration'])('finds %s before the path of the issuer', (name) => {
    const found = call('shop', 'auth', `/.well-known/${name}`, { query: 'a=1' });
    const before = `/.well-known/${name}`;
    expect(readAppPath(`${before}/auth/v1?a=1`, 'shop', null)).toEqual(found);
    expect(readAppPath(`${before}/auth/v1?a=1`, null, 'shop')).toEqual(found);
    expect(readAppPath(`${before}/apps/shop/auth/v1?a=1`, null, null)).toEqual(found);
    for (const path of ['', '/rest/v1', '/auth/v1/token', '/auth/v1/', '/apps/other/auth/v1']) {
      expect(readAppPath(before + path, 'shop', null)).toEqual(call('shop', null, before + path));
    }
    for (const path of ['', '/auth/v1', '/apps/shop/rest/v1', '/admin/v1/apps/shop/auth/v1']) {
      expect(readAppPath(before + path, null, null)).toBeNull();
    }
  });

  it('treats every path on an app’s origin as the app’s', () => {
    expect(readAppPath('/rest/v1/t', 'shop', null)).toEqual(call('shop', 'rest', '/t'));
    expect(readAppPath('/openapi.json', 'shop', null)).toEqual(call('shop', 'openapi.json', '/openapi.json'));
    for (const path of ['/', '/admin/v1/apps', '/apps/other/rest/v1/t', '/assets/index.js', '/docs/errors']) {
      expect(readAppPath(path, 'shop', 'other')).toEqual(call('shop', null, path));
    }
  });

  it('routes API paths without a prefix on the node’s origin to the default app', () => {
    expect(readAppPath('/auth/v1/user', null, 'shop')).toEqual(call('shop', 'auth', '/user'));
    expect(readAppPath('/assets/v1', null, 'shop')).toBeNull();
  });
});
