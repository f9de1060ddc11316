import { describe, expect, it } from 'vitest';
import { extendMarks, noMarks, presentMarks, toggleMark } from './marks.ts';

const order = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const ids = (marks: { ids: ReadonlySet<string> }) => [...marks.ids].sort();

describe('toggleMark', () => {
  it('marks an entry, and takes the mark away the second time', () => {
    const once = toggleMark(noMarks, 'b');
    expect(ids(once)).toEqual(['b']);
    expect(ids(toggleMark(once, 'b'))).toEqual([]);
  });
});

describe('extendMarks', () => {
  it('marks the entries between the anchor and the entry in both directions', () => {
    const marked = toggleMark(noMarks, 'c');
    expect(ids(extendMarks(marked, 'd', order))).toEqual(['c', 'd']);
    expect(ids(extendMarks(marked, 'a', order))).toEqual(['a', 'b', 'c']);
  });

  it('keeps the anchor, so that the next range begins at the same entry', () => {
    const first = extendMarks(toggleMark(noMarks, 'b'), 'c', order);
    expect(ids(extendMarks(first, 'a', order))).toEqual(['a', 'b', 'c']);
  });

  it('marks only the entry if the anchor is not in the listing', () => {
    expect(ids(extendMarks({ ids: new Set(), anchor: 'gone' }, 'b', order))).toEqual(['b']);
  });
});

describe('presentMarks', () => {
  it('removes the marks of entries that the listing does not contain', () => {
    expect(ids(presentMarks({ ids: new Set(['a', 'x']), anchor: null }, order))).toEqual(['a']);
  });

  it('returns the same value if every mark is present', () => {
    const marks = toggleMark(noMarks, 'a');
    expect(presentMarks(marks, order)).toBe(marks);
  });
});
