import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nameOfVariant,
  readImageOptions,
  readSignedOptions,
  signedOptionsText,
  transformationsText,
  variantOf,
} from './options.ts';

const read = (query: string) => readImageOptions(new URLSearchParams(query));
const CHROME = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

describe('readImageOptions', () => {
  it('reads the options and ignores other parameters', () => {
    expect(read('width=200&height=0&resize=contain&quality=60&format=webp&cacheNonce=1&download=')).toEqual({
      width: 200,
      resize: 'contain',
      quality: 60,
      format: 'webp',
    });
  });

  it('treats a side above the limit as the limit, as Supabase Storage does', () => {
    expect(read('width=999999')).toEqual({ width: 2500 });
  });

  it.each([
    'width=',
    'width=-1',
    'width=1.5',
    'width=0x10',
    'width=1e3',
    'height=12345678901',
    'quality=19',
    'quality=101',
    'resize=crop',
    'format=svg',
    'width=NaN',
  ])('refuses %s and names the parameter', (query) => {
    expect(() => read(query)).toThrow(new RegExp(`^${query.split('=')[0]}: `));
  });
});

describe('signedOptionsText', () => {
  it('returns a text that readSignedOptions reads as the same options', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            width: fc.integer({ min: 1, max: 2500 }),
            height: fc.integer({ min: 1, max: 2500 }),
            resize: fc.constantFrom('cover', 'contain', 'fill'),
            quality: fc.integer({ min: 20, max: 100 }),
            format: fc.constantFrom('origin', 'avif', 'webp'),
          },
          { requiredKeys: [] },
        ),
        (options) => {
          expect(readSignedOptions(signedOptionsText(options))).toEqual(options);
        },
      ),
    );
  });
});

describe('transformationsText', () => {
  it('returns the options in the words and the order of Supabase Storage', () => {
    expect(transformationsText(read('width=200&height=200&quality=60'))).toBe(
      'height:200,width:200,resizing_type:fill,quality:60',
    );
    expect(transformationsText(read('width=20&resize=contain&format=avif'))).toBe(
      'width:20,resizing_type:fit,format:avif',
    );
    expect(transformationsText(read('format=origin'))).toBe('');
  });
});

describe('variantOf', () => {
  const formatOf = (query: string, accept?: string) => variantOf(read(query), accept).format;

  it('chooses AVIF for a small image, then WebP, if the client names them', () => {
    expect(formatOf('width=400', CHROME)).toBe('avif');
    expect(formatOf('width=400&height=2000', CHROME)).toBe('webp');
    expect(formatOf('', CHROME)).toBe('webp');
    expect(formatOf('width=400', 'image/avif;q=0, image/webp')).toBe('webp');
  });

  it('keeps the format of the file for wildcards and for a client that sends no header', () => {
    expect(formatOf('width=400', '*/*')).toBe('origin');
    expect(formatOf('width=400', 'image/*')).toBe('origin');
    expect(formatOf('width=400')).toBe('origin');
  });

  it('uses the format of the request whatever the client accepts', () => {
    expect(formatOf('format=origin', CHROME)).toBe('origin');
    expect(formatOf('format=webp', 'image/png')).toBe('webp');
  });
});

describe('nameOfVariant', () => {
  it('returns one name for cover and for its default, and other names for other options', () => {
    const nameOf = (query: string) => nameOfVariant(variantOf(read(query), undefined));
    expect(nameOf('width=1&resize=cover&quality=80')).toBe(nameOf('width=1'));
    const names = ['', 'width=1', 'height=1', 'width=1&resize=fill', 'width=1&quality=79', 'width=1&format=webp'].map(
      nameOf,
    );
    expect(new Set(names).size).toBe(names.length);
  });
});
