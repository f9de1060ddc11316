import { expect, it } from 'vitest';
import { hueOf } from './accent.ts';

it('hueOf returns the OKLCH hue of a colour, and null for grey', () => {
  // The hues of the primary colours in the examples of CSS Color 4.
  expect(['#ff0000', '#00ff00', '#0000ff', '#ffff00'].map(hueOf)).toEqual([29, 142, 264, 110]);
  expect([hueOf('#808080'), hueOf('#000000')]).toEqual([null, null]);
});
