import { describe, expect, it } from 'vitest';
import { type OriginOptions, Origins } from './origins.ts';

const local: OriginOptions = { url: 'http://127.0.0.1:9009', isNamed: false, domain: null, defaultApp: null };
const hosted: OriginOptions = {
  url: 'https://console.example.com',
  isNamed: true,
  domain: 'Apps.example.com',
  defaultApp: null,
};

describe('Origins.appAt', () => {
  it.each<[string, Partial<OriginOptions>, string | undefined, string | null]>([
    ['a name below localhost, without any setting', local, 'shop.localhost:9009', 'shop'],
    ['a name below localhost in capitals and with a final dot', local, 'SHOP.Localhost.:9009', 'shop'],
    ['a name below localhost although a domain is set', hosted, 'shop.localhost:9009', 'shop'],
    ['a name below the domain', hosted, 'shop.apps.example.com', 'shop'],
    ['the loopback address', local, '127.0.0.1:9009', null],
    ['localhost', local, 'localhost:9009', null],
    ['an address of the local network', local, '192.168.1.5:9009', null],
    ['no Host header', local, undefined, null],
    ['the name of the console', local, 'console.localhost:9009', null],
    ['a name that is not a valid ref', local, 'a.shop.localhost', null],
    ['a name that only ends like the domain', hosted, 'evilapps.example.com', null],
    ['the domain itself', hosted, 'apps.example.com', null],
    ['a name below the domain, followed by another', hosted, 'shop.apps.example.com.evil.example', null],
    ['the node’s own name below the domain', { ...hosted, domain: 'example.com' }, 'console.example.com', null],
    [
      'an app that is called like the node’s own name',
      { ...hosted, url: 'https://node.example.com', domain: 'example.com' },
      'node.example.com:443',
      null,
    ],
    ['any other host, with a default app', { ...local, defaultApp: 'shop' }, 'anything.example', 'shop'],
    ['a loopback name, with a default app', { ...local, defaultApp: 'shop' }, 'localhost:9009', null],
    ['the IPv6 loopback address, with a default app', { ...local, defaultApp: 'shop' }, '[::1]:9009', null],
    ['the node’s own name, with a default app', { ...hosted, defaultApp: 'shop' }, 'console.example.com', null],
    [
      'a loopback name if the node has another, with a default app',
      { ...hosted, defaultApp: 'shop' },
      '127.0.0.1',
      'shop',
    ],
    ['another app’s name, with a default app', { ...local, defaultApp: 'shop' }, 'notes.localhost', 'notes'],
  ])('classifies %s', (_, options, host, ref) => {
    expect(new Origins({ ...local, ...options }).appAt(host)).toBe(ref);
  });
});

describe('Origins.appOrigin and appUrl', () => {
  it('return an origin below localhost for browsers, and a URL with a path on the node for programs', () => {
    const origins = new Origins(local);
    expect(origins.appOrigin('shop')).toBe('http://shop.localhost:9009');
    expect(origins.appUrl('shop')).toBe('http://127.0.0.1:9009/apps/shop');
  });

  it('return a host name below the domain, with the scheme and port of the node', () => {
    const origins = new Origins({ ...hosted, url: 'https://console.example.com:8443' });
    expect(origins.appOrigin('shop')).toBe('https://shop.apps.example.com:8443');
    expect(origins.appUrl('shop')).toBe('https://shop.apps.example.com:8443');
  });

  it('reject the origins of the node, and return null if no host name leads to the node', () => {
    const named = new Origins({ ...hosted, domain: 'example.com', url: 'https://node.example.com' });
    expect(named.appOrigin('node')).toBeNull();
    expect(named.appUrl('node')).toBe('https://node.example.com/apps/node');
    expect(named.appOrigin('console')).toBeNull();
    expect(new Origins({ ...hosted, domain: null }).appOrigin('shop')).toBeNull();
  });
});

describe('Origins.isNode', () => {
  it('accepts the origin to which the request was sent, and rejects every other', () => {
    const origins = new Origins({ ...hosted, domain: 'example.com' });
    expect(origins.isNode('https://console.example.com', 'backend:9009')).toBe(true);
    expect(origins.isNode('https://shop.example.com', 'console.example.com')).toBe(false);
    expect(origins.isNode('https://shop.example.com', 'shop.example.com')).toBe(false);
    expect(origins.isNode('http://console.example.com', 'console.example.com')).toBe(false);
    expect(origins.isNode('null', 'console.example.com')).toBe(false);
    expect(new Origins(local).isNode('http://192.168.1.5:9009', '192.168.1.5:9009')).toBe(true);
    expect(new Origins(local).isNode('http://127.0.0.1:5173', '127.0.0.1:9009')).toBe(false);
  });
});

describe('Origins.sourceOf', () => {
  it('returns the host of the request without characters that would end the source', () => {
    const origins = new Origins(local);
    expect(origins.sourceOf('Localhost:9009')).toBe('http://localhost:9009');
    for (const host of ['[::1]:9009', 'a b', 'x;script-src *', "a'", '*', '', undefined])
      expect(origins.sourceOf(host)).toBeNull();
  });
});

describe('Origins.isServed', () => {
  const named = { ...hosted, hosts: ['console.internal', '10.0.0.7', '[fd00::7]'] };
  it.each<[string, Partial<OriginOptions>, string | undefined, boolean]>([
    ['the URL of the node', hosted, 'Console.Example.com.:443', true],
    ['a loopback name of a node with a URL', hosted, 'localhost:8080', true],
    ['any loopback address', local, '127.8.9.1', true],
    ['the IPv6 loopback address', local, '[::1]:9009', true],
    ['no Host header', local, undefined, true],
    ['an app below localhost', local, 'shop.localhost', true],
    ['an app below the domain', hosted, 'shop.apps.example.com', true],
    ['a further name', named, 'CONSOLE.internal:9009', true],
    ['a further address', named, '10.0.0.7', true],
    ['a further IPv6 address', named, '[fd00::7]:9009', true],
    ['the address of the connection', local, '192.168.1.5:9009', true],
    ['another address', local, '192.168.1.6:9009', false],
    ['another name', local, 'evil.example', false],
    ['another name with the port of the node', local, 'evil.example:9009', false],
    ['a name that begins like a loopback address', local, '127.0.0.1.evil.example', false],
    ['a name that ends like the URL of the node', hosted, 'evilconsole.example.com', false],
    ['a name below the URL of the node', hosted, 'a.console.example.com', false],
    ['a name below an app', local, 'a.shop.localhost', false],
    ['the domain itself', hosted, 'apps.example.com', false],
    ['a name below the domain of another node', local, 'shop.apps.example.com', false],
    ['any name, with a default app', { ...local, defaultApp: 'shop' }, 'evil.example', true],
  ])('decides about %s', (_, options, host, isServed) => {
    const origins = new Origins({ ...local, ...options });
    expect(origins.isServed(host, { localAddress: '::ffff:192.168.1.5' })).toBe(isServed);
  });
});

describe('Origins.urlAt', () => {
  const shop = 'shop';
  it.each<[string, Partial<OriginOptions>, string | undefined, string]>([
    ['the loopback address', local, '127.0.0.1:9009', 'http://127.0.0.1:9009/apps/shop'],
    ['another address of a node without a name', local, '192.168.1.5:9009', 'http://192.168.1.5:9009/apps/shop'],
    ['the origin below localhost', local, 'shop.localhost:9009', 'http://shop.localhost:9009'],
    [
      'the origin below the domain, behind a proxy',
      hosted,
      'Shop.apps.example.com:8080',
      'https://shop.apps.example.com',
    ],
    ['the node behind a proxy', hosted, '127.0.0.1:9009', 'https://console.example.com/apps/shop'],
    [
      'a node with a path',
      { ...hosted, url: 'https://example.com/base' },
      'example.com',
      'https://example.com/base/apps/shop',
    ],
    ['the default app at a name of its own', { ...hosted, defaultApp: shop }, 'shop.example', 'https://shop.example'],
    ['no Host header', hosted, undefined, 'https://console.example.com/apps/shop'],
  ])('returns the URL of the app for clients that use %s', (_what, options, host, url) => {
    expect(new Origins({ ...local, ...options }).urlAt(shop, host)).toBe(url);
  });
});
