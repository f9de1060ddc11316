import { describe, expect, it } from 'vitest';
import { arrowHead, boxTowards, packInRows, roundedPath, shortened } from './geometry.ts';

describe('roundedPath', () => {
  it.each([
    [
      'goes straight between two points',
      [
        [0, 0],
        [9, 0],
      ],
      'M0 0L9 0',
    ],
    [
      'rounds a corner, and ends where it should',
      [
        [0, 0],
        [20, 0],
        [20, 20],
      ],
      'M0 0L14 0Q20 0 20 6L20 20',
    ],
    [
      'rounds less where a leg is short',
      [
        [0, 0],
        [4, 0],
        [4, 20],
      ],
      'M0 0L2 0Q4 0 4 2L4 20',
    ],
    ['is empty without points', [], ''],
  ] as const)('%s', (_, points, path) => expect(roundedPath(points, 6)).toBe(path));

  it('accepts points with equal coordinates', () =>
    expect(
      roundedPath(
        [
          [1, 1],
          [1, 1],
          [1, 1],
        ],
        6,
      ),
    ).not.toContain('NaN'));
});

it('arrowHead points an arrowhead in the direction of the last segment', () => {
  expect(
    arrowHead([
      [0, 0],
      [0, 9],
    ]),
  ).toEqual({ at: [0, 9], turn: 90 });
  expect(
    arrowHead([
      [9, 0],
      [0, 0],
    ])?.turn,
  ).toBe(180);
  expect(arrowHead([[1, 1]])).toBeNull();
});

it('shortened ends a line before the arrowhead that covers its end, and never before its start', () => {
  expect(
    shortened(
      [
        [0, 0],
        [20, 0],
      ],
      6,
    ),
  ).toEqual([
    [0, 0],
    [14, 0],
  ]);
  expect(
    shortened(
      [
        [0, 0],
        [4, 0],
      ],
      6,
    ),
  ).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

describe('boxTowards', () => {
  const box = (x: number, y: number) => ({ x, y, width: 10, height: 10 });
  const boxes = new Map([
    ['a', box(0, 0)],
    ['b', box(50, 0)],
    ['far', box(30, 90)],
    ['below', box(0, 40)],
  ]);
  it.each([
    ['ArrowRight', 'a', 'b'],
    ['ArrowDown', 'a', 'below'],
    ['ArrowUp', 'below', 'a'],
    ['ArrowLeft', 'a', null],
    ['Home', 'far', 'a'],
    ['End', 'a', 'far'],
    ['Enter', 'a', null],
    ['ArrowUp', 'nowhere', null],
  ])('leads %s from %s to %s', (key, from, to) => expect(boxTowards(key, from, boxes)).toBe(to));
});

it('packInRows places boxes in as many rows as the width requires', () => {
  const places = packInRows(['a', 'b', 'c'], { width: 10, height: 5 }, 22, 2);
  expect([...places.values()].map(({ x, y }) => [x, y])).toEqual([
    [0, 0],
    [12, 0],
    [0, 7],
  ]);
  expect(packInRows(['a', 'b'], { width: 10, height: 5 }, 3, 2).get('b')?.y).toBe(7);
});
