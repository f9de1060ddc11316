import type { CSSProperties } from 'react';
import type { Hours } from './layout.ts';

/** Height of an hour in pixels. The style sheet has the same number. */
export const HOUR_PIXELS = 56;

/**
 * Returns the style of a part of a day.
 * @param from Minutes from midnight.
 */
export const partStyle = ({ first }: Hours, from: number, to: number): CSSProperties => ({
  top: (from / 60 - first) * HOUR_PIXELS + 1,
  height: Math.max(((to - from) / 60) * HOUR_PIXELS - 3, 0),
});
