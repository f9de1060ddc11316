import { expect, it } from 'vitest';
import { rewriteHost } from './host.ts';

const domain = 'apps.example.com';

it('finds the app of a host below the domain, whatever its case and port', () => {
  expect(rewriteHost('/rest/v1/t?id=eq.1', 'shop.apps.example.com:443', domain, null)).toBe(
    '/apps/shop/rest/v1/t?id=eq.1',
  );
  expect(rewriteHost('/auth/v1/user', 'SHOP.apps.example.com', domain, null)).toBe('/apps/shop/auth/v1/user');
});

it('takes the default app on any other host', () => {
  expect(rewriteHost('/auth/v1/user', 'localhost:9009', null, 'shop')).toBe('/apps/shop/auth/v1/user');
  expect(rewriteHost('/rest/v1', 'other.apps.example.com', domain, 'shop')).toBe('/apps/other/rest/v1');
});

it('leaves every other address as it is', () => {
  for (const [url, host] of [
    ['/rest/v1/t', 'a.b.apps.example.com'],
    ['/rest/v1/t', '..apps.example.com'],
    ['/rest/v1/t', 'apps.example.com'],
    ['/rest/v1/t', 'evilapps.example.com'],
    ['/rest/v1/t', undefined],
    ['/restless/v1', 'shop.apps.example.com'],
    ['/rest/v10', 'shop.apps.example.com'],
    ['/admin/v1/apps', 'shop.apps.example.com'],
    ['/', 'shop.apps.example.com'],
  ] as const) {
    expect(rewriteHost(url, host, domain, null)).toBe(url);
  }
});
