import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clone } from '../../test/support/clone.ts';
import { PortalPages } from './portal-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'portal-'));
writeFileSync(join(folder, 'index.html'), '<p>pages</p>');
writeFileSync(join(folder, 'preview.html'), '<p>preview</p>');
afterAll(() => rmSync(folder, { recursive: true }));

const answer = (path: string, method: string, headers: Record<string, string>) =>
  new PortalPages(folder, {
    sourceOf: () => 'http://desk.localhost',
    consoleOrigins: () => ['http://localhost'],
  }).answer({
    ...{
      method,
      path,
      query: '',
      headers,
      body: null,
      stream: null,
      target: path,
      address: '127.0.0.1',
      requestId: 'r',
    },
    ...{ baseUrl: '', signal: { aborted: false, addEventListener: () => undefined } as never },
  });
const status = (path: string, method = 'GET', accept = 'text/html') => answer(path, method, { accept })?.status ?? null;

it('PortalPages returns 200 for every page of the router', () => {
  const router = readFileSync(join(clone, 'web/portal/router.tsx'), 'utf8');
  const paths = [...router.matchAll(/(?:page\(|path: )'(\/[^']*)'/g)].map(([, path = '']) =>
    path.replace('$', 'tickets'),
  );
  expect(paths.length).toBeGreaterThan(6);
  expect(paths.map((path) => [path, status(path)])).toEqual(paths.map((path) => [path, 200]));
});

it('PortalPages returns 304 to a browser that has the page already, and a part of the page for a Range header', () => {
  const accept = 'text/html';
  const first = answer('/', 'GET', { accept });
  const etag = first?.headers.etag ?? '';
  expect(String(first?.body)).toBe('<p>pages</p>');
  expect(answer('/', 'GET', { accept, 'if-none-match': etag })).toMatchObject({ status: 304, body: null });
  expect(answer('/', 'GET', { accept, 'if-none-match': '"other"' })?.status).toBe(200);
  const part = answer('/', 'GET', { accept, range: 'bytes=3-7' });
  expect([part?.status, String(part?.body)]).toEqual([206, 'pages']);
});

it.each([
  ['/tickets/9001', 'GET', 'text/html', 200],
  ['/shop.orders/a%20b', 'GET', 'text/html', 200],
  ['/documents/report.pdf', 'GET', 'text/html', 200],
  ['/documents/a(1)!', 'GET', 'text/html', 200],
  ['/documents/.env', 'GET', 'text/html', 200],
  ['/documents/..', 'GET', 'text/html', null],
  ['/documents/./a', 'GET', 'text/html', null],
  ['/docs/errors', 'GET', 'text/html', null],
  ['/tickets', 'GET', 'application/json', null],
  ['/robots.txt', 'GET', 'text/html', null],
  ['/%', 'GET', 'text/html', null],
  ['/account/sign-in', 'POST', 'text/html', null],
  ['/account/sign-in', 'GET', 'application/json', null],
  ['/admin/v1/apps', 'GET', 'text/html', null],
  ['/%61dmin/v1', 'GET', 'text/html', null],
  ['//evil.example', 'GET', 'text/html', null],
  ['/account/assets/../index.html', 'GET', 'text/html', null],
  ['/.well-known/security.txt', 'GET', 'text/html', null],
])('PortalPages responds to %s %s with Accept: %s with %s', (path, method, accept, expected) =>
  expect(status(path, method, accept)).toBe(expected),
);

it('PortalPages returns the preview at one path only, in an opaque origin without a network that only the console may frame', () => {
  const accept = 'text/html';
  const preview = answer('/account/preview', 'GET', { accept, host: 'desk.localhost' });
  expect(String(preview?.body)).toBe('<p>preview</p>');
  expect(preview?.headers['x-frame-options']).toBeUndefined();
  const policy = preview?.headers['content-security-policy']?.split('; ') ?? [];
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      'sandbox allow-scripts',
      'script-src http://desk.localhost/account/assets/',
      "connect-src 'none'",
      'frame-ancestors http://localhost',
    ]),
  );
  for (const path of ['/account', '/account/Preview', '/account/preview.html', '/preview', '/']) {
    const page = answer(path, 'GET', { accept, host: 'desk.localhost' });
    expect([path, String(page?.body)]).toEqual([path, '<p>pages</p>']);
    expect(page?.headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
    expect(page?.headers['x-frame-options']).toBe('DENY');
  }
});
