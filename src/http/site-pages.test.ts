import { describe, expect, it } from 'vitest';
import { readRange } from '../calls/conditional.ts';
import { findSiteFile } from './site-pages.ts';
import { acceptedCodings } from './stored-files.ts';

const build = new Set(['index.html', 'about.html', 'docs/index.html', 'docs/a b.html', 'assets/app-Bx3dE9_k.js']);

describe('findSiteFile', () => {
  it.each([
    ['/', { file: 'index.html', status: 200 }],
    ['/assets/app-Bx3dE9_k.js', { file: 'assets/app-Bx3dE9_k.js', status: 200 }],
    ['/about', { file: 'about.html', status: 200 }],
    ['/docs/', { file: 'docs/index.html', status: 200 }],
    ['/docs', { redirect: '/docs/' }],
    ['/docs/a%20b', { file: 'docs/a b.html', status: 200 }],
    ['/tickets/7', { file: 'index.html', status: 200 }],
    ['/missing.png', null],
    ['/%', null],
    ['/users/jane.doe', { file: 'index.html', status: 200 }],
    ['//evil.example', { file: 'index.html', status: 200 }],
    ['/../index.html', null],
    ['/%2e%2e/about', { file: 'index.html', status: 200 }],
  ])('leads a browser that opens %s to %o', (path, expected) => {
    expect(findSiteFile(build, path, true)).toEqual(expected);
  });

  it('leads only paths of pages to index.html, so that a missing script gets an error', () => {
    expect(findSiteFile(build, '/tickets/7', false)).toBeNull();
    expect(findSiteFile(build, '/assets/old-Ab12cd34.js', true)).toBeNull();
  });

  it('leads pages without a file to 404.html if the build has one', () => {
    const withPage = new Set([...build, '404.html']);
    expect(findSiteFile(withPage, '/tickets/7', true)).toEqual({ file: '404.html', status: 404 });
    expect(findSiteFile(withPage, '/missing.png', false)).toBeNull();
  });
});

describe('readRange', () => {
  it.each([
    ['bytes=0-0', [0, 0]],
    ['bytes=2-', [2, 9]],
    ['bytes=-3', [7, 9]],
    ['bytes=-30', [0, 9]],
    ['bytes=5-500', [5, 9]],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', null],
    ['bytes=0-1,4-5', null],
    ['bytes=-', null],
    ['items=0-1', null],
    [undefined, null],
  ])('reads %s of ten bytes as %o', (header, expected) => {
    expect(readRange(header, 10)).toEqual(expected);
  });
});

describe('acceptedCodings', () => {
  it.each([
    ['gzip, deflate, br', ['br', 'gzip']],
    ['gzip;q=1.0, br;q=0', ['gzip']],
    ['BR', ['br']],
    ['brotli, xgzip', []],
    [undefined, []],
  ])('reads %s as %o', (header, expected) => {
    expect(acceptedCodings(header)).toEqual(expected);
  });
});
