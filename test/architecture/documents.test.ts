import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clone } from '../support/clone.ts';
import { sourceFiles } from './source-files.ts';

const pages = [
  ...readdirSync(clone)
    .filter((name) => name.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(clone, path), 'utf8') })),
  ...sourceFiles(['docs', 'web', 'templates', 'examples'], /\.md$/),
];

/** Returns the targets of the links of a page, without those to other sites. Leaves out code. */
const targets = (text: string): string[] =>
  [...text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [target],
  );

/** Returns the anchor that GitHub gives a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

describe('the pages of the documentation', () => {
  it('contain no marks of an unfinished merge', () => {
    expect(pages.length).toBeGreaterThan(60);
    expect(pages.filter(({ text }) => /^(<{7}|>{7}) /m.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('link only to files and headings that exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      targets(text).flatMap((target) => {
        const [file = '', heading] = target.split('#');
        const found = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(clone, found))) return [`${path}: ${target}`];
        if (heading === undefined || !found.endsWith('.md')) return [];
        const headings = readFileSync(join(clone, found), 'utf8').matchAll(/^#+ (.*)$/gm);
        return [...headings].some(([, words = '']) => anchor(words) === heading) ? [] : [`${path}: ${target}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});
