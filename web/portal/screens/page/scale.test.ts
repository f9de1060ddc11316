import { expect, it } from 'vitest';
import { scaleOf, separated } from './scale.ts';

it('scaleOf returns round lines that contain zero and every value', () => {
  expect(scaleOf([8, 52, 31], true)).toEqual({ min: 0, max: 60, ticks: [20, 40, 60] });
  expect(scaleOf([0, 0], true)).toEqual({ min: 0, max: 1, ticks: [1] });
  expect(scaleOf([], true)).toEqual({ min: 0, max: 1, ticks: [1] });
  expect(scaleOf([0.1, 0.25], false)).toEqual({ min: 0, max: 0.3, ticks: [0.1, 0.2, 0.3] });
  expect(scaleOf([-30, 45], false)).toEqual({ min: -50, max: 50, ticks: [-50, 50] });
  expect(scaleOf([3_400_000], false)).toEqual({ min: 0, max: 4_000_000, ticks: [2_000_000, 4_000_000] });
});

it('separated moves labels apart and keeps them above the lower edge', () => {
  expect(separated([10, 12, 100], 180)).toEqual([10, 26, 100]);
  expect(separated([178, 179], 180)).toEqual([164, 180]);
});
