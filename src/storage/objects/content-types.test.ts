import { describe, expect, it } from 'vitest';
import { requireAllowedType } from './content-types.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;', 'latin1');
const PDF = Buffer.from('%PDF-1.7\n%âãÏÓ\n');
const ZIP = Buffer.from('504b0304140000000000', 'hex');
const HTML = Buffer.from('<!doctype html><script>alert(1)</script>');

const outcome = (allowed: string[] | null, declared: string, head: Buffer | null) =>
  requireAllowedType({ allowed_mime_types: allowed }, declared, head).then(
    () => 'taken',
    (error: { code: string }) => error.code,
  );

describe('requireAllowedType', () => {
  it.each<[string[] | null, string, Buffer | null]>([
    [null, 'anything', HTML],
    [[], 'text/html', HTML],
    [['image/png'], 'image/png', PNG],
    [['IMAGE/PNG'], 'image/png; x=y', PNG],
    [['image/*'], 'image/jpg', PNG],
    [['image/*'], 'image/png', null],
    [['*/*'], 'text/html', HTML],
    [['text/plain'], 'text/plain', HTML],
    [['application/pdf'], 'application/pdf', PDF],
    [
      ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ZIP,
    ],
    [['image/png'], 'image/png', Buffer.alloc(0)],
  ])('takes with the list %j the type %s', async (allowed, declared, head) => {
    expect(await outcome(allowed, declared, head)).toBe('taken');
  });

  it.each<[string[], string, Buffer | null]>([
    [['image/png'], 'image/jpeg', null],
    [['image/*'], 'imagex/png', null],
    [['image/*'], 'image', null],
    [['image/png'], 'image/png', HTML],
    [['image/*'], 'image/png', PDF],
    [['application/pdf'], 'application/pdf', GIF],
    [['text/plain'], 'text/plain', PNG],
    [['text/plain'], 'text/plain', ZIP],
    [['video/*'], 'video/mp4', HTML],
  ])('refuses with the list %j the type %s', async (allowed, declared, head) => {
    expect(await outcome(allowed, declared, head)).toBe('InvalidMimeType');
  });
});
