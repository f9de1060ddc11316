import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allSettings } from '../../contract/all-settings.ts';
import { environment, limitVariables } from '../../contract/environment.ts';
import { allErrors, type ErrorEntry, retired } from '../../contract/errors.ts';
import { type Limit, limits } from '../../contract/limits.ts';
import { generate, generatedPages, tableNames, tablesOf } from '../../scripts/generated-docs.ts';
import { clone } from '../support/clone.ts';

describe('the generated tables of the documentation', () => {
  const pages = generatedPages.map((path) => ({ path, text: readFileSync(join(clone, path), 'utf8') }));

  it.each(pages)('contain in $path what `npm run docs` writes', ({ text }) => expect(text).toBe(generate(text)));

  it('are each on one page', () => {
    expect(pages.flatMap(({ text }) => tablesOf(text)).toSorted()).toEqual(tableNames.toSorted());
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

describe('contract/limits', () => {
  const all: [string, Limit][] = Object.entries(limits);

  it('names only codes that exist, and defines every setting that it names', () => {
    const broken = all.filter(
      ([, { code, setting }]) =>
        (code !== undefined && !Object.hasOwn(allErrors, code)) ||
        (setting !== undefined && !Object.hasOwn(allSettings, setting)),
    );
    expect(broken.map(([name]) => name)).toEqual([]);
  });

  it('has a range for every limit that can be changed, by a setting or a variable, and the default is in the range', () => {
    const broken = all.filter(
      ([, { setting, variable, range, default: standard }]) =>
        (setting !== undefined && variable !== undefined) ||
        ((setting ?? variable) !== undefined) !== (range !== undefined) ||
        (range && (standard < range[0] || standard > range[1])),
    );
    expect(broken.map(([name]) => name)).toEqual([]);
  });
});

describe('contract/settings and contract/environment', () => {
  it('describe every setting and every variable in full sentences', () => {
    const meanings = Object.entries({ ...allSettings, ...environment, ...limitVariables }).map(
      ([, one]) => one.meaning,
    );
    const effects = Object.values(allSettings).flatMap(({ row }) => [row?.effect ?? [], row?.without ?? []].flat());
    expect([...meanings, ...effects].filter((text) => !/^\S.*\.$/.test(text))).toEqual([]);
  });
});
