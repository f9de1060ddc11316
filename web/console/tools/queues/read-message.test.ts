import { describe, expect, it } from 'vitest';
import { printJson } from './print-json.ts';
import { readMessage } from './read-message.ts';

const read = (message: string, headers = '', delay = '') => readMessage({ message, headers, delay }, 100);

describe('readMessage', () => {
  it('reads any JSON value, headers and a delay', () => {
    expect(read('{"a": 1}', '{"h": 2}', ' 60 ')).toEqual({
      body: { message: { a: 1 }, headers: { h: 2 }, delay_seconds: 60 },
    });
    expect(read('null')).toEqual({ body: { message: null } });
    expect(read('"text"', ' ', '0')).toEqual({ body: { message: 'text' } });
  });

  it('refuses text that is no JSON, headers that are no object, and a delay that is no whole number within the limit', () => {
    for (const fields of [
      read('{'),
      read(''),
      read('1', '[1]'),
      read('1', '{'),
      read('1', '', '1.5'),
      read('1', '', '-1'),
      read('1', '', '101'),
      read('1', '', 'x'),
    ])
      expect(fields).toEqual({ refused: expect.any(String) });
  });
});

describe('printJson', () => {
  it('indents JSON, and returns text unchanged if it is no JSON or a number would lose digits', () => {
    expect(printJson('{"a": [1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(printJson('{"a": 12345678901234567890}')).toBe('{"a": 12345678901234567890}');
    expect(printJson('{"a": ')).toBe('{"a": ');
    expect(printJson(null)).toBe('null');
  });
});
