import { describe, expect, it } from 'vitest';
import { newPath, safeName } from './new-path.ts';

const values = { user: 'u1', table: 'rooms', id: null };
const UUID = '[0-9a-f-]{36}';

describe('newPath', () => {
  it('begins with the id of the member and has a random part if the field names no folder', () => {
    expect(newPath({ folder: null }, values, 'a.png')).toMatch(new RegExp(`^u1/rooms/${UUID}/a\\.png$`));
  });

  it('adds a random part to a folder without one, so that equal names never meet', () => {
    expect(newPath({ folder: 'all/{id}' }, { ...values, id: '7' }, 'a.png')).toMatch(
      new RegExp(`^all/7/${UUID}/a\\.png$`),
    );
  });

  it('replaces the key of a new row by a random id', () => {
    expect(newPath({ folder: '{id}' }, values, 'a.png')).toMatch(new RegExp(`^${UUID}/${UUID}/a\\.png$`));
  });

  it('keeps a key or a table from leaving its part of the path', () => {
    expect(newPath({ folder: '{table}/{id}' }, { user: 'u', table: '..', id: '../../x' }, '../a')).toMatch(
      new RegExp(`^-/\\.\\.-\\.\\.-x/${UUID}/\\.\\.-a$`),
    );
  });
});

describe('safeName', () => {
  it.each([
    ['Übersicht 2026.pdf', 'Übersicht 2026.pdf'],
    ['a/b\\c\n.png', 'a-b-c-.png'],
    ['', '-'],
    ['..', '-'],
    [`${'x'.repeat(300)}.jpeg`, `${'x'.repeat(115)}.jpeg`],
  ])('makes of %j the name %j', (name, expected) => {
    expect(safeName(name)).toBe(expected);
  });
});
