import { describe, expect, it } from 'vitest';
import { fileKind, shownAs } from './file-kind.ts';

describe('fileKind', () => {
  it('knows kinds by the type or by its group, whatever the letter case and the parameters', () => {
    expect(fileKind('IMAGE/PNG')).toBe('image');
    expect(fileKind('text/plain; charset=utf-8')).toBe('text');
    expect(fileKind('text/csv')).toBe('table');
    expect(fileKind('application/pdf')).toBe('PDF');
    expect(fileKind('application/octet-stream')).toBe('file');
    expect(fileKind('')).toBe('file');
  });
});

describe('shownAs', () => {
  it('shows images, videos and sounds with a type of the list', () => {
    expect(shownAs('image/png')).toEqual({ as: 'image', type: 'image/png' });
    expect(shownAs('video/mp4; codecs="avc1"')).toEqual({ as: 'video', type: 'video/mp4' });
    expect(shownAs('audio/mpeg')).toEqual({ as: 'audio', type: 'audio/mpeg' });
  });

  it('shows texts and tables of text as text', () => {
    for (const type of ['text/plain', 'text/csv', 'text/javascript', 'application/json', 'application/xml']) {
      expect(shownAs(type)).toEqual({ as: 'text' });
    }
  });

  it('shows nothing that can contain a script or that no element can show', () => {
    for (const type of [
      'text/html',
      'image/svg+xml',
      'IMAGE/SVG+XML; charset=utf-8',
      'application/xhtml+xml',
      'application/pdf',
      'image/x-unknown',
      'application/vnd.ms-excel',
      'application/octet-stream',
    ]) {
      expect(shownAs(type)).toBeNull();
    }
  });
});
