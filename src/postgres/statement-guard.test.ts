import { describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { exceedsRescans, RescanCounter } from '../../contract/sql-rescans.ts';

const LONG = 200_000;
const run = (part: string, length = LONG): string => part.repeat(Math.ceil(length / part.length));

describe('exceedsRescans', () => {
  it.each([
    ['nested comments', run('/*')],
    ['nested comments that end', run('/*') + run('*/')],
    ['comments one after another', run('/**/')],
    ['comments between operators', `select 1 ${run('@/**/')}`],
    ['plus signs', `select 1 ${run('+')}`],
    ['alternating signs', `select 1 ${run('+-')}`],
    ['signs after a comment that hides dashes', `/*--*/${run('+')}`],
    ['signs after the end of a comment of an earlier run', `/* --*/${run('-')}`],
    ['the body of a function', `do $$ begin ${run('/*')} $$`],
    ['a string', `do '${run('/*')}'`],
    ['many runs that are too long only together', `${run('+-', 2000)} `.repeat(200)],
  ])('refuses %s', (_, sql) => expect(exceedsRescans(sql)).toBe(true));

  it.each([
    ['lines of dashes', `-- ${run('-')}\n${'-'.repeat(LONG)}\nselect 1`],
    ['a frame of stars', `/${run('*')}/ select 1`],
    ['many comments', '/* one */ -- two\n'.repeat(LONG)],
    ['nested comments with spaces', run('/* ') + run('*/ ')],
    ['numbers with signs', run('-1,+2,')],
    ['slashes and equals signs in a string', `select '${run('/')}${run('=')}'`],
    ['a table of characters', `select '${`${'+---'.repeat(20)}+\n`.repeat(1000)}'`],
    ['letters outside ASCII', run('€/ü*')],
  ])('accepts %s', (_, sql) => expect(exceedsRescans(sql)).toBe(false));
});

describe('RescanCounter', () => {
  it('returns the same place for a text in one piece and byte by byte', () => {
    const bytes = Buffer.from(`select 1 /* - */ ${run('*/+/*')}`);
    const place = new RescanCounter().read(bytes);
    expect(place).toBeLessThan(3 * Math.sqrt(limits.sqlRescans.default));
    const counter = new RescanCounter();
    let found: number | null = null;
    for (let i = 0; found === null; i++) found = counter.read(bytes, i, i + 1);
    expect(found).toBe(place);
  });
});
