import { describe, expect, it } from 'vitest';
import type { Layout } from './geometry.ts';
import { heightOf, readable, startingScale, startingView } from './view.ts';

const layout = (width: number, height: number): Layout => ({
  width,
  height,
  boxes: new Map([['far', { x: width - 100, y: height - 50, width: 100, height: 50 }]]),
  groups: [],
  edges: new Map(),
});

describe('startingView and heightOf', () => {
  it('show the complete diagram if its text is readable at that scale', () => {
    expect(startingScale({ width: 1000 }, 900)).toBe(0.9);
    expect(startingScale({ width: 200 }, 900)).toBe(1);
    expect(startingView(layout(1000, 200), { width: 900, height: 190 }, 'far')).toMatchObject({
      x: 0,
      y: 0,
      zoom: 0.9,
    });
  });

  it('never use a scale at which text is unreadable, and centre the view without leaving the diagram', () => {
    const room = { width: 900, height: 500 };
    const view = startingView(layout(5000, 3000), room, 'far');
    expect(view.zoom).toBe(readable);
    expect([view.x, view.y]).toEqual([900 - 5000 * readable, 500 - 3000 * readable]);
    expect(view.least).toBeLessThan(room.width / 5000);
    expect(startingView(layout(5000, 3000), room, 'gone')).toMatchObject({ x: 0, y: 0 });
  });

  it('use no more height than the diagram needs', () => {
    expect(heightOf({ width: 500, height: 200 }, 900)).toBe(208);
    expect(heightOf({ width: 500, height: 9000 }, 900)).toBe(560);
    expect(heightOf({ width: 350, height: 9000 }, 358)).toBe(700);
  });
});
