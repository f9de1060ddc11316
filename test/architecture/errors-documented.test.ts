import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allErrors, type ErrorEntry, retired } from '../../contract/errors.ts';
import { clone } from '../support/clone.ts';

/** The headings of docs/errors.md by source, in their order. Each has one table. */
const headings: Record<ErrorEntry['source'], string> = {
  ninefold: 'Ninefold',
  rest: 'Data calls',
  auth: 'Sign-in and sessions',
  postgres: 'PostgreSQL',
};

interface DocumentedError {
  heading: string;
  code: string;
  /** The complete row, as the file contains it. */
  row: string;
}

/**
 * Returns text as a table cell contains it. Without the backslash, Markdown reads `|` as a border and `<ref>` as a tag.
 */
const cell = (text: string): string => text.replace(/[|<]/g, '\\$&').replaceAll('\n', ' ');

function rowOf(code: string, entry: ErrorEntry): string {
  const others = Object.entries(entry.otherStatuses ?? {}).map(([status, when]) => ` ${status}: ${when}`);
  return `| \`${code}\` | ${entry.status} | ${cell(entry.meaning)}${cell(others.join(''))} | ${cell(entry.action)} |`;
}

function documentedErrors(): DocumentedError[] {
  let heading = '';
  return readFileSync(join(clone, 'docs/errors.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      heading = /^## (.*)$/.exec(line)?.[1] ?? heading;
      const code = /^\| `([^`]+)` \|/.exec(line)?.[1];
      return code === undefined ? [] : [{ heading, code, row: line.trimEnd() }];
    });
}

describe('docs/errors.md', () => {
  const documented = documentedErrors();
  const entries: [string, ErrorEntry][] = Object.entries(allErrors);

  it('contains the row of every code, with status, meaning and action, under the heading of its source', () => {
    const found = new Map(documented.map(({ code, row, heading }) => [code, `${heading}: ${row}`]));
    const missing = entries
      .map(([code, entry]) => ({ code, expected: `${headings[entry.source]}: ${rowOf(code, entry)}` }))
      .filter(({ code, expected }) => found.get(code) !== expected);
    expect(missing.map(({ expected }) => expected)).toEqual([]);
  });

  it('contains no unknown code and no code twice', () => {
    const codes = documented.map(({ code }) => code);
    expect(codes.filter((code) => !Object.hasOwn(allErrors, code))).toEqual([]);
    expect(codes.filter((code, i) => codes.indexOf(code) !== i)).toEqual([]);
  });
});

describe('contract/errors', () => {
  it('does not reuse a retired code', () => {
    expect(retired.filter((code) => Object.hasOwn(allErrors, code))).toEqual([]);
  });

  it('describes the meaning and the action of every error in full sentences', () => {
    const poor = Object.entries<ErrorEntry>(allErrors).filter(
      ([, { status, message, meaning, action, member }]) =>
        !(Number.isInteger(status) && (status === 300 || (status >= 400 && status <= 599))) ||
        [meaning, action, ...(member === null ? [] : [member])].some((text) => !/^\S.*[.)]$/.test(text)) ||
        message.trim() === '',
    );
    expect(poor.map(([code]) => code)).toEqual([]);
  });
});
