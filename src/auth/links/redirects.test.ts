import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import { makeKeys } from '../../apps/keys/make-keys.ts';
import { Origins } from '../../apps/registry/origins.ts';
import { allowedRedirect, decideRedirect, redirectTarget } from './redirects.ts';

const context = {
  app: makeKeys('mine'),
  origins: new Origins({ url: 'http://127.0.0.1:8000', isNamed: false, domain: null, defaultApp: null }),
  settings: {
    ...defaultAuthSettings,
    site_url: 'https://site.example',
    uri_allow_list: [
      'https://*.preview.example/**',
      'https://exact.example/back',
      'com.app://login-callback',
      'https://{a,b}.example/[0-9]?',
      'https://**.any.example',
      'https://open.example**',
      'javascript:*',
      '[',
    ],
  },
};

describe('allowedRedirect', () => {
  it.each([
    ['https://site.example', 'https://site.example/'],
    ['https://site.example/any/path?x=1#y', 'https://site.example/any/path?x=1#y'],
    ['https://site.example\\@evil.example', 'https://site.example/@evil.example'],
    ['HTTPS://SITE.example/', 'https://site.example/'],
    ['http://mine.localhost:8000/back', 'http://mine.localhost:8000/back'],
    ['http://127.0.0.1:5173/cb', 'http://127.0.0.1:5173/cb'],
    ['http://[::1]:5173/cb', 'http://[::1]:5173/cb'],
    ['http://localhost:5173', 'http://localhost:5173/'],
    ['https://pr-7.preview.example/a/b?c=d', 'https://pr-7.preview.example/a/b?c=d'],
    ['https://exact.example/back#here', 'https://exact.example/back#here'],
    ['com.app://login-callback', 'com.app://login-callback'],
    ['https://b.example/42', 'https://b.example/42'],
    ['https://open.example/a?b', 'https://open.example/a?b'],
    ['https://x.y.any.example', 'https://x.y.any.example/'],
  ])('allows %s', (address, expected) => {
    expect(allowedRedirect(context, address)).toBe(expected);
  });

  it.each([
    '',
    'relative',
    '//site.example',
    'https://site.example.evil.example',
    'https://site.example@evil.example',
    'https://evil.example/https://site.example',
    'https://evil.example#https://site.example',
    'http://site.example',
    'https://site.example:8443',
    'https://user:secret@site.example',
    'https://other.localhost:8000/',
    'http://other.localhost:8000/',
    'http://127.0.0.1:8000/apps/other/',
    'http://localhost:8000/apps/other/',
    'http://10.0.0.1/',
    'http://167772161/',
    'http://0x0a000001/',
    'https://a.b.preview.example/',
    'https://evil.example\\.preview.example/',
    'https://evil.example/.preview.example/x',
    'https://evil.example?x=.any.example',
    'https://exact.example/back/more',
    'https://exact.example/back?more',
    'com.app://other',
    'https://c.example/42',
    'https://a.example/4/',
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
  ])('refuses %s', (address) => {
    expect(allowedRedirect(context, address)).toBeNull();
  });
});

it('allowedRedirect matches a pattern of many wildcards or braces without exponential time', () => {
  const many = { ...context, settings: { ...context.settings, uri_allow_list: ['**a'.repeat(200)] } };
  expect(allowedRedirect(many, `https://evil.example/${'a'.repeat(4000)}b`)).toBeNull();
  const braces = { ...context, settings: { ...context.settings, uri_allow_list: ['{a,b}'.repeat(100)] } };
  expect(allowedRedirect(braces, 'https://evil.example/')).toBeNull();
});

describe('decideRedirect', () => {
  const withDocs = {
    ...context,
    settings: {
      ...context.settings,
      uri_allow_list: ['https://a.example/docs', 'https://b.example/docs/', 'https://c.example', 'com.app://docs'],
    },
  };
  it.each<[string, string | null]>([
    ['https://a.example/docs', 'https://a.example/docs'],
    ['https://a.example/docs/', 'https://a.example/docs'],
    ['https://a.example/docs/#top', 'https://a.example/docs'],
    ['https://a.example/docs//', null],
    ['https://a.example/docs/?next=/', null],
    ['https://a.example/docs?next=/', null],
    ['https://b.example/docs/', 'https://b.example/docs/'],
    ['https://b.example/docs', null],
    ['https://c.example/', 'https://c.example'],
    ['com.app://docs/', null],
  ])('treats only the final slash of a path as optional in an entry: %s', (address, entry) => {
    expect(decideRedirect(withDocs, address).entry).toBe(entry);
  });

  it.each<[string, object]>([
    ['https://site.example/x', { by: 'site', entry: null, refusal: null }],
    ['http://mine.localhost:8000/', { by: 'origin', entry: null, refusal: null }],
    ['http://localhost:5173/', { by: 'loopback', entry: null, refusal: null }],
    ['https://pr-7.preview.example/a', { by: 'entry', entry: 'https://*.preview.example/**', refusal: null }],
    ['http://127.0.0.1:8000/', { address: null, by: null, refusal: 'node' }],
    ['http://localhost:8000/', { address: null, by: null, refusal: 'node' }],
    ['http://10.0.0.1/', { address: null, by: null, refusal: 'network address' }],
    ['https://u@site.example/', { address: null, by: null, refusal: 'user name' }],
    ['javascript:alert(1)', { address: null, by: null, refusal: 'scheme' }],
    ['relative', { address: null, by: null, refusal: 'malformed' }],
    [`https://site.example/${'a'.repeat(limits.redirectCharacters.default)}`, { address: null, refusal: 'too long' }],
    ['https://c.example/42', { address: null, by: null, entry: null, refusal: 'not listed' }],
  ])('names the reason for %.60s', (address, decision) => {
    expect(decideRedirect(context, address)).toMatchObject(decision);
  });
});

describe('redirectTarget', () => {
  const exchange = (query: string, headers: Record<string, string> = {}) =>
    ({ query, headers }) as unknown as CallRequest;

  it('returns the first allowed address of header, body, query and Referer, else the site', () => {
    const asked = 'redirect_to=https%3A%2F%2Fexact.example%2Fback';
    expect(redirectTarget(context, exchange(asked))).toBe('https://exact.example/back');
    expect(redirectTarget(context, exchange(''), 'https://exact.example/back')).toBe('https://exact.example/back');
    expect(redirectTarget(context, exchange('', { redirect_to: 'https://exact.example/back' }))).toBe(
      'https://exact.example/back',
    );
    expect(redirectTarget(context, exchange('', { referer: 'https://site.example/page' }))).toBe(
      'https://site.example/page',
    );
    const evil = exchange('redirect_to=https://evil.example', { referer: 'https://evil.example' });
    expect(redirectTarget(context, evil)).toBe('https://site.example');
  });

  it('returns the app’s own origin if the app has no site', () => {
    const without = { ...context, settings: { ...context.settings, site_url: null } };
    expect(redirectTarget(without, exchange(''))).toBe('http://mine.localhost:8000');
  });
});
