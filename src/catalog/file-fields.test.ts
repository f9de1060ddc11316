import { describe, expect, it } from 'vitest';
import { readFileComment } from './file-fields.ts';

describe('readFileComment', () => {
  it('reads bucket, types, size and folder, and returns the comment without the line', () => {
    expect(
      readFileComment(
        'Pictures of it.\n@files bucket=photos types=image/*,application/PDF max=1.5MB folder={user}/x/\nFor all.',
      ),
    ).toEqual({
      text: 'Pictures of it.\nFor all.',
      files: { bucket: 'photos', types: ['image/*', 'application/pdf'], max_bytes: 1_500_000, folder: '{user}/x' },
    });
  });

  it('returns null as the comment if it has only the line', () => {
    expect(readFileComment('@files bucket=photos')).toEqual({
      text: null,
      files: { bucket: 'photos', types: null, max_bytes: null, folder: null },
    });
  });

  it.each([
    'See @files bucket=photos',
    '@files',
    '@files max=5MB',
    '@files bucket=photos colour=red',
    '@files bucket=photos types=image',
    '@files bucket=photos types=image/png,',
    '@files bucket=photos max=big',
    '@files bucket=photos max=0',
    '@files bucket=photos folder=../x',
    '@files bucket=photos folder={secret}',
    '@filesbucket=photos',
  ])('returns %j unchanged as a plain comment', (comment) => {
    expect(readFileComment(comment)).toEqual({ text: comment, files: null });
  });

  it('reads a hostile comment in linear time', () => {
    const started = performance.now();
    readFileComment(`@files${' a=b'.repeat(50_000)} !`);
    readFileComment(`${'@files a= '.repeat(50_000)}`);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
