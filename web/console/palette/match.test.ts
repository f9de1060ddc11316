import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { match } from './match.ts';

const best = (query: string, ...titles: string[]) =>
  titles
    .flatMap((title) => {
      const found = match(title, query);
      return found ? [{ title, rank: found.rank }] : [];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ title }) => title);

describe('what somebody types is found', () => {
  it('best at the start, then at the start of a word, then anywhere', () => {
    expect(best('tick', 'sticky', 'merge_tickets', 'tickets', 'Who may update tickets?', 'customers')).toEqual([
      'tickets',
      'merge_tickets',
      'Who may update tickets?',
      'sticky',
    ]);
  });

  it('by all its words, in any order', () => {
    expect(best('tick upd', 'Who may update tickets?', 'Who may delete tickets?')).toEqual(['Who may update tickets?']);
  });

  it('shows everything as long as nothing is typed', () => {
    expect(match('anything', '  ')?.spans).toEqual([]);
  });
});

it('marks only places within the title, apart and in order, whatever is typed', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (title, query) => {
      let end = -1;
      for (const [from, to] of match(title, query)?.spans ?? []) {
        expect(from).toBeGreaterThan(end);
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(title.toLowerCase().length);
        end = to;
      }
    }),
  );
});
