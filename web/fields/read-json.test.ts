import { describe, expect, it } from 'vitest';
import { readJsonText } from './read-json.ts';

describe('readJsonText', () => {
  it.each([
    ['{"a": 1, "b": []}', 'Valid JSON, 2 keys.'],
    ['[1]', 'Valid JSON, 1 entry.'],
    ['"x"', 'Valid JSON, a string.'],
  ])('describes %s', (text, words) => expect(readJsonText(text)).toMatchObject({ isValid: true, words }));

  it('indents JSON without changing strings, or numbers that JavaScript cannot represent', () => {
    const text = '{"n":12345678901234567890.10,"list":[{},[],"a, {b}"],"t":"x\\"y"}';
    const read = readJsonText(text);
    const indented = read.isValid ? read.indented : '';
    expect(indented).toBe(
      '{\n  "n": 12345678901234567890.10,\n  "list": [\n    {},\n    [],\n    "a, {b}"\n  ],\n  "t": "x\\"y"\n}',
    );
    expect(readJsonText(indented)).toMatchObject({ indented });
  });

  it('names the line that contains the error', () => {
    expect(readJsonText('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ isValid: false, line: 3 });
    expect(readJsonText('{\n  "a": 1,\n')).toMatchObject({ isValid: false, line: 2 });
    expect(readJsonText(' ')).toEqual({ isValid: false, line: null, words: 'An empty text is not JSON.' });
  });
});
