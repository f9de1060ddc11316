import { describe, expect, it } from 'vitest';
import { isStandardServer, isTypesOnly, mapSpecifier, packageOfUrl, parsePackage, readImportMap } from './specifier.ts';

describe('parsePackage', () => {
  it.each([
    ['zod', ['zod', '', '']],
    ['zod@4', ['zod', '4', '']],
    ['/zod@^4.1/mini', ['zod', '^4.1', 'mini']],
    ['@supabase/supabase-js@2.45.0', ['@supabase/supabase-js', '2.45.0', '']],
    ['@std/http@1/file-server', ['@std/http', '1', 'file-server']],
  ])('reads %s', (text, [name, range, path]) => {
    expect(parsePackage(text)).toEqual({ name, range, path });
  });

  it.each(['', '../x', '@scope', 'a b'])('refuses “%s”', (text) => {
    expect(() => parsePackage(text)).toThrow('names no package');
  });
});

describe('packageOfUrl', () => {
  it.each([
    ['https://esm.sh/@supabase/supabase-js@2.39.3?target=deno', 'npm:@supabase/supabase-js@2.39.3'],
    ['https://esm.sh/v135/stripe@14.0.0/es2022/stripe.mjs', 'npm:stripe@14.0.0'],
    ['https://esm.sh/stable/react@18.2.0/jsx-runtime', 'npm:react@18.2.0/jsx-runtime'],
    ['https://esm.sh/jsr/@std/path@1', 'jsr:@std/path@1'],
    ['https://cdn.jsdelivr.net/npm/lodash@4/+esm', 'npm:lodash@4'],
    ['https://unpkg.com/uuid', 'npm:uuid'],
    ['https://deno.land/x/oak@v12/mod.ts', 'https://deno.land/x/oak@v12/mod.ts'],
    ['https://cdn.jsdelivr.net/gh/a/b/c.js', 'https://cdn.jsdelivr.net/gh/a/b/c.js'],
  ])('returns the package that %s serves', (url, specifier) => {
    expect(packageOfUrl(new URL(url))).toBe(specifier);
  });
});

describe('mapSpecifier', () => {
  const map = readImportMap({
    imports: { zod: 'npm:zod@4', '@/': './_shared/', exact: 'npm:left-pad', broken: 5 },
    scopes: { './special/': { zod: 'npm:zod@3' } },
  });

  it('prefers a scope, then an exact key, then the longest prefix, then the path of a package', () => {
    expect(mapSpecifier(map, 'zod', 'hello/index.ts')).toBe('npm:zod@4');
    expect(mapSpecifier(map, 'zod', 'special/index.ts')).toBe('npm:zod@3');
    expect(mapSpecifier(map, '@/cors.ts', 'hello/index.ts')).toBe('./_shared/cors.ts');
    expect(mapSpecifier(map, 'zod/mini', 'hello/index.ts')).toBe('npm:zod@4/mini');
    expect(mapSpecifier(map, 'broken', 'hello/index.ts')).toBeNull();
    expect(mapSpecifier(map, 'other', 'hello/index.ts')).toBeNull();
  });
});

it('isTypesOnly and isStandardServer know the modules that need no download', () => {
  expect(
    ['jsr:@supabase/functions-js/edge-runtime.d.ts', 'https://esm.sh/x/y.d.ts?dts', './types.d.ts'].every(isTypesOnly),
  ).toBe(true);
  expect(['jsr:@supabase/supabase-js', './types.ts'].some(isTypesOnly)).toBe(false);
  expect(isStandardServer('https://deno.land/std@0.168.0/http/server.ts')).toBe(true);
  expect(isStandardServer('https://deno.land/std@0.168.0/http/file_server.ts')).toBe(false);
});
