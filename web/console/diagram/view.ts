import type { Layout } from './geometry.ts';

/** The room that a figure has in the page, in px. */
export interface Room {
  width: number;
  height: number;
}

/** The smallest scale at which the words can be read. */
export const readable = 0.8;
/** A figure takes no more of the page than this; on a phone, where boxes stand beneath one another, a little more. */
const highest = (room: number) => (room < 720 ? 700 : 560);
const margin = 24;

/** The scale at which a figure is drawn at first: whole where its words can still be read, else as small as they can be. Pure. */
export const startingScale = ({ width }: Pick<Layout, 'width'>, room: number): number =>
  width === 0 ? 1 : Math.max(readable, Math.min(1, room / width));

/** How high a figure is in the page, so that it holds its place. Pure. */
export const heightOf = (layout: Pick<Layout, 'width' | 'height'>, room: number): number =>
  Math.min(highest(room), Math.ceil(layout.height * startingScale(layout, room)) + 8);

export interface View {
  x: number;
  y: number;
  zoom: number;
  /** The scale at which all of it is in sight. */
  least: number;
  extent: [[number, number], [number, number]];
}

/**
 * What of a figure is in sight at first: all of it where it fits, else the surroundings of `centre`, as far as the
 * figure goes. Pure.
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
