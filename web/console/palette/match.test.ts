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

describe('match', () => {
  it('ranks the start of the title first, then the start of a word, then any position', () => {
    expect(best('tick', 'sticky', 'merge_tickets', 'tickets', 'Who may update tickets?', 'customers')).toEqual([
      'tickets',
      'merge_tickets',
      'Who may update tickets?',
      'sticky',
    ]);
  });

  it('finds all words of the query in any order', () => {
    expect(best('tick upd', 'Who may update tickets?', 'Who may delete tickets?')).toEqual(['Who may update tickets?']);
  });

  it('matches everything if the query is empty', () => {
    expect(match('anything', '  ')?.spans).toEqual([]);
  });
});

it('match returns spans of the title that are in order and do not overlap, for any query', () => {
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
