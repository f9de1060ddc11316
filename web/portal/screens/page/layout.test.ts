import { expect, it } from 'vitest';
import type { PortalPart } from '../../../../contract/portal.ts';
import { placeParts } from './layout.ts';

const widths = (...kinds: PortalPart['kind'][]) =>
  placeParts(kinds.map((kind) => ({ kind }) as PortalPart)).map(({ columns }) => columns);

it('placeParts puts numbers into rows of four, bars and lists side by side, and all other parts alone', () => {
  expect(widths('number', 'number', 'number', 'number', 'line', 'bars', 'list')).toEqual([3, 3, 3, 3, 12, 5, 7]);
  expect(widths('number', 'number', 'number', 'number', 'number', 'text', 'list', 'bars', 'bars')).toEqual([
    3, 3, 3, 3, 12, 12, 7, 5, 12,
  ]);
  expect(widths('number', 'number', 'buttons', 'bars', 'bars')).toEqual([6, 6, 12, 6, 6]);
  expect(placeParts([])).toEqual([]);
});
