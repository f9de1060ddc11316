/** A figure of boxes and edges, for entities and for states. */

/** A data colour of the tokens. */
export type Colour = 'd-1' | 'd-2' | 'd-3' | 'd-4' | 'd-5' | 'd-6';

export interface Box {
  id: string;
  name: string;
  /** The live figure: rows now; null where none is known. */
  figure: string | null;
  /** Beside the figure, small: "9 fields", "22 min". */
  remark: string;
  colour: Colour;
  /** `derived`: a view. `outside`: not the app's own. `final`: nothing leads on. `unreached`: nothing leads there. `start`: the dot that a machine starts at. */
  look: 'usual' | 'derived' | 'outside' | 'final' | 'unreached' | 'start';
  /** The heading of the frame around it; null for none. */
  group: string | null;
  /** The text for screen readers. */
  says: string;
}

export interface Edge {
  id: string;
  from: string;
  to: string;
  label: string;
  /** The live figure after the label; null for none. */
  figure: string | null;
  /** In px. */
  weight: number;
  /** True for a part that should not exist: it is crimson. */
  bad: boolean;
  says: string;
}

export interface Graph {
  boxes: readonly Box[];
  edges: readonly Edge[];
  /** The heading over boxes that no edge meets. */
  alone: string;
  /** The boxes come in the order in which one reaches them: edges against it lead back. */
  ordered: boolean;
}

/** More boxes than this are drawn as one line each, and their edges without labels. */
const mostFull = 40;

export const isCompact = ({ boxes }: Graph): boolean => boxes.length > mostFull;

export interface Size {
  width: number;
  height: number;
}

/** How large a box is drawn, in px at a scale of 1. */
export const sizeOf = ({ look }: Box, compact: boolean): Size =>
  look === 'start' ? { width: 10, height: 10 } : { width: 152, height: compact ? 30 : 64 };

/** Room for the words of an edge of 11 and 12 px, near enough to keep their place free. */
export const labelSize = ({ label, figure }: Pick<Edge, 'label' | 'figure'>): Size => ({
  width: Math.ceil(label.length * 6.2 + (figure === null ? 0 : figure.length * 6.2 + 8)) + 8,
  height: 16,
});

/** Returns the part of a graph with these boxes, and the edges between them. Pure. */
export const within = (graph: Graph, ids: ReadonlySet<string>): Graph => ({
  ...graph,
  boxes: graph.boxes.filter(({ id }) => ids.has(id)),
  edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
});

/** Returns the part of a graph with these boxes and their neighbours, and only the edges that meet these boxes. Pure. */
export function around(graph: Graph, centres: ReadonlySet<string>): Graph {
  const edges = graph.edges.filter(({ from, to }) => centres.has(from) || centres.has(to));
  const kept = new Set([...centres, ...edges.flatMap(({ from, to }) => [from, to])]);
  return { ...graph, boxes: graph.boxes.filter(({ id }) => kept.has(id)), edges };
}

/** The box that most edges meet at; undefined for a graph without boxes. */
export function hubOf({ boxes, edges }: Graph): string | undefined {
  const met = new Map<string, number>();
  for (const { from, to } of edges) for (const id of [from, to]) met.set(id, (met.get(id) ?? 0) + 1);
  return boxes.toSorted((a, b) => (met.get(b.id) ?? 0) - (met.get(a.id) ?? 0))[0]?.id;
}
