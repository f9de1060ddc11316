/** Points, paths and positions within a diagram after its layout. All functions are pure. Lengths are in px at a scale of 1. */

export type Point = readonly [x: number, y: number];

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  boxes: ReadonlyMap<string, Rect>;
  groups: readonly (Rect & { title: string })[];
  /** The points of each edge, and the upper left corner of its label. */
  edges: ReadonlyMap<string, { points: readonly Point[]; label: Point | null }>;
}

/** Returns an SVG path along points. Corners are rounded by `radius`, or by less if a segment is too short. */
export function roundedPath(points: readonly Point[], radius: number): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.join(' ')}`;
  for (const [place, corner] of rest.entries()) {
    const before = points[place] ?? first;
    const after = rest[place + 1];
    if (!after) {
      path += `L${corner.join(' ')}`;
      continue;
    }
    const reach = Math.min(radius, distance(before, corner) / 2, distance(corner, after) / 2);
    path += `L${towards(corner, before, reach).join(' ')}Q${corner.join(' ')} ${towards(corner, after, reach).join(' ')}`;
  }
  return path;
}

const distance = ([x1, y1]: Point, [x2, y2]: Point): number => Math.hypot(x2 - x1, y2 - y1);

function towards(from: Point, to: Point, reach: number): Point {
  const all = distance(from, to);
  if (all === 0) return from;
  return [from[0] + ((to[0] - from[0]) * reach) / all, from[1] + ((to[1] - from[1]) * reach) / all];
}

/** Returns the position of an arrowhead and its direction in degrees; null for an edge without length. */
export function arrowHead(points: readonly Point[]): { at: Point; turn: number } | null {
  const at = points.at(-1);
  const before = points.at(-2);
  if (!at || !before) return null;
  return { at, turn: (Math.atan2(at[1] - before[1], at[0] - before[0]) * 180) / Math.PI };
}

/** Removes the last px of a path. The arrowhead covers this part, so a thick line must not be visible beside it. */
export function shortened(points: readonly Point[], by: number): readonly Point[] {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return points;
  return [...points.slice(0, -1), towards(end, before, Math.min(by, distance(end, before)))];
}

/**
 * Returns the box to which an arrow key leads: the nearest box in the direction of the key, with the distance across
 * that direction counted twice. Home and End lead to the first and last box in reading order. Returns null if there is
 * no such box, and for any other key.
 */
export function boxTowards(key: string, from: string, boxes: ReadonlyMap<string, Rect>): string | null {
  const here = boxes.get(from);
  if (!here) return null;
  if (key === 'Home' || key === 'End') {
    const order = [...boxes].toSorted(([, a], [, b]) => a.y - b.y || a.x - b.x);
    return (key === 'Home' ? order[0] : order.at(-1))?.[0] ?? null;
  }
  const ways: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const way = ways[key];
  if (!way) return null;
  let best: { id: string; far: number } | null = null;
  for (const [id, box] of boxes) {
    const x = box.x + box.width / 2 - (here.x + here.width / 2);
    const y = box.y + box.height / 2 - (here.y + here.height / 2);
    const along = x * way[0] + y * way[1];
    const astray = Math.abs(x * way[1]) + Math.abs(y * way[0]);
    const far = along + 2 * astray;
    if (along > 1 && (best === null || far < best.far)) best = { id, far };
  }
  return best?.id ?? null;
}

/** Places boxes of equal size from left to right in rows of a given width. */
export function packInRows(
  ids: readonly string[],
  size: { width: number; height: number },
  across: number,
  gap: number,
): Map<string, Rect> {
  const columns = Math.max(1, Math.floor((across + gap) / (size.width + gap)));
  return new Map(
    ids.map((id, place) => [
      id,
      { x: (place % columns) * (size.width + gap), y: Math.floor(place / columns) * (size.height + gap), ...size },
    ]),
  );
}
