import type { EntitiesChapter, Entity } from '../../../../contract/specification.ts';
import { entityName } from '../../format/format.ts';

export const boxWidth = 152;
export const boxHeight = 64;
/** More boxes than this are not drawn: nobody could read them. */
export const mostBoxes = 60;

export interface Box {
  /** Schema and name. */
  id: string;
  name: string;
  /** Missing where the entity is not exposed, as auth.users: it is only pointed to. */
  entity: Entity | null;
}

export interface Edge {
  id: string;
  from: string;
  to: string;
  /** The fields that point. */
  label: string;
}

export interface Graph {
  boxes: Box[];
  edges: Edge[];
}

const idOf = (schema: string, name: string) => `${schema}.${name}`;

/**
 * The entities that relations join, and the relations, as boxes and edges; what is pointed to from outside has a box
 * too. An entity that stands alone has none. Pure.
 */
export function graphOf({ entities, relations }: EntitiesChapter): Graph {
  const boxes = new Map<string, Box>();
  const exposed = new Map(entities.map((entity) => [idOf(entity.schema, entity.name), entity]));
  for (const end of relations.flatMap(({ from, to }) => [from, to])) {
    const id = idOf(end.schema, end.entity);
    boxes.set(id, { id, name: entityName(end.schema, end.entity), entity: exposed.get(id) ?? null });
  }
  const edges = relations.map(({ name, from, to }) => ({
    id: `${idOf(from.schema, from.entity)} ${name}`,
    from: idOf(from.schema, from.entity),
    to: idOf(to.schema, to.entity),
    label: from.fields.join(', '),
  }));
  return { boxes: [...boxes.values()], edges };
}

export type Point = readonly [x: number, y: number];

/** An SVG path along points with corners rounded by `radius`, less where a leg is too short for it. Pure. */
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
