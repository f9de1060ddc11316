import type { Layout } from './geometry.ts';

/** The size of the diagram's area in the page, in px. */
export interface Room {
  width: number;
  height: number;
}

/** The smallest scale at which the text of a diagram is readable. */
export const readable = 0.8;
/** Returns the maximum height of a diagram in px. It is larger on a phone, because boxes are drawn below one another there. */
const highest = (room: number) => (room < 720 ? 700 : 560);
const margin = 24;

/**
 * Returns the initial scale: the complete diagram if its text is readable, otherwise the smallest readable scale. Pure.
 */
export const startingScale = ({ width }: Pick<Layout, 'width'>, room: number): number =>
  width === 0 ? 1 : Math.max(readable, Math.min(1, room / width));

/** Returns the height that a diagram takes in the page, which its placeholder takes too. Pure. */
export const heightOf = (layout: Pick<Layout, 'width' | 'height'>, room: number): number =>
  Math.min(highest(room), Math.ceil(layout.height * startingScale(layout, room)) + 8);

export interface View {
  x: number;
  y: number;
  zoom: number;
  /** The scale at which the complete diagram is visible. */
  least: number;
  extent: [[number, number], [number, number]];
}

/**
 * Returns the initial view. It shows the complete diagram if that fits, otherwise the part of the diagram around the
 * box `centre`. Pure.
 */
export function startingView(layout: Layout, room: Room, centre: string | undefined): View {
  const zoom = startingScale(layout, room.width);
  const min = Math.min(zoom, room.width / (layout.width + margin), room.height / (layout.height + margin));
  const extent: View['extent'] = [
    [-margin, -margin],
    [Math.max(layout.width, room.width / zoom) + margin, Math.max(layout.height, room.height / zoom) + margin],
  ];
  const box = centre === undefined ? undefined : layout.boxes.get(centre);
  const along = (middle: number, whole: number, space: number) =>
    whole * zoom <= space ? 0 : Math.min(0, Math.max(space - whole * zoom, space / 2 - middle * zoom));
  return {
    x: box ? along(box.x + box.width / 2, layout.width, room.width) : 0,
    y: box ? along(box.y + box.height / 2, layout.height, room.height) : 0,
    zoom,
    least: min,
    extent,
  };
}
