/** Diagrams of boxes and edges, for entities and for states. */

/** A colour for data, as the design tokens name it. */
export type Colour = 'd-1' | 'd-2' | 'd-3' | 'd-4' | 'd-5' | 'd-6';

export interface Box {
  id: string;
  name: string;
  /** The current figure of the box, for example its number of rows; null if it is unknown. */
  figure: string | null;
  /** True if the figure is an estimate, which is shown as "about 1,240". */
  isEstimate?: boolean;
  /** Small text beside the figure, for example "9 fields" or "22 min". */
  remark: string;
  colour: Colour;
  /**
   * How the box looks. `derived`: a view. `outside`: not part of the app. `final`: no edge leaves the box. `unreached`:
   * no edge leads to the box. `start`: the dot before the initial state.
   */
  look: 'usual' | 'derived' | 'outside' | 'final' | 'unreached' | 'start';
  /** Heading of the frame around the box; null without a frame. */
  group: string | null;
  /** Description of the box for screen readers. */
  says: string;
}

export interface Edge {
  id: string;
  from: string;
  to: string;
  label: string;
  /** The figure that the edge shows after its label; null without a figure. */
  figure: string | null;
  /** Width of the line in px. */
  weight: number;
  /** True for state changes that no transition explains. Their edge is crimson. */
  bad: boolean;
  says: string;
}

export interface Graph {
  boxes: readonly Box[];
  edges: readonly Edge[];
  /** Heading of the rows of boxes that have no edges. */
  alone: string;
  /** True if the boxes are in the usual order of their states. An edge against this order then counts as leading back. */
  ordered: boolean;
}

/** Maximum number of boxes that are drawn with all details. Of more boxes, each has one line, and edges have no labels. */
const mostFull = 40;

export const isCompact = ({ boxes }: Graph): boolean => boxes.length > mostFull;

export interface Size {
  width: number;
  height: number;
}

/** Returns the size of a box in px at a scale of 1. */
export const sizeOf = ({ look, isEstimate = false }: Box, compact: boolean): Size =>
  look === 'start' ? { width: 10, height: 10 } : { width: isEstimate ? 184 : 152, height: compact ? 30 : 64 };

/** Returns the approximate size of an edge's label in fonts of 11 and 12 px. */
export const labelSize = ({ label, figure }: Pick<Edge, 'label' | 'figure'>): Size => ({
  width: Math.ceil(label.length * 6.2 + (figure === null ? 0 : figure.length * 6.2 + 8)) + 8,
  height: 16,
});

/** Returns the part of a graph that consists of these boxes and the edges between them. Pure. */
export const within = (graph: Graph, ids: ReadonlySet<string>): Graph => ({
  ...graph,
  boxes: graph.boxes.filter(({ id }) => ids.has(id)),
  edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
});

/**
 * Returns the part of a graph that consists of the boxes `centres` and their neighbours. Only edges from and to the
 * boxes `centres` are included. Pure.
 */
export function around(graph: Graph, centres: ReadonlySet<string>): Graph {
  const edges = graph.edges.filter(({ from, to }) => centres.has(from) || centres.has(to));
  const kept = new Set([...centres, ...edges.flatMap(({ from, to }) => [from, to])]);
  return { ...graph, boxes: graph.boxes.filter(({ id }) => kept.has(id)), edges };
}

/** Returns the box with the most edges; undefined for a graph without boxes. */
export function hubOf({ boxes, edges }: Graph): string | undefined {
  const met = new Map<string, number>();
  for (const { from, to } of edges) for (const id of [from, to]) met.set(id, (met.get(id) ?? 0) + 1);
  return boxes.toSorted((a, b) => (met.get(b.id) ?? 0) - (met.get(a.id) ?? 0))[0]?.id;
}
