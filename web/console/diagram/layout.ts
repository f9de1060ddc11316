import ELK, { type ElkNode, type LayoutOptions } from 'elkjs/lib/elk-api.js';
import elkWorker from 'elkjs/lib/elk-worker.min.js?url';
import { type Layout, type Point, packInRows, type Rect } from './geometry.ts';
import { type Box, type Graph, isCompact, labelSize, sizeOf } from './graph.ts';

const common: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.padding': '[top=8,left=2,bottom=8,right=8]',
  'elk.aspectRatio': '2.4',
};

/**
 * Keeps the given order of boxes and edges if this causes no additional crossing. ELK fails with this option if boxes
 * are in groups, so it is used only without groups.
 */
const inOrder: LayoutOptions = { 'elk.layered.considerModelOrder.strategy': 'PREFER_EDGES' };

const wayBack: LayoutOptions = { 'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER' };

/** Options for few boxes. They leave room for the labels of edges. */
const full: LayoutOptions = {
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '20',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '1',
  'elk.spacing.componentComponent': '28',
};

/** Options for many boxes. Edges that lead to the same box are joined, and a long chain of boxes continues in the next row. */
const tight: LayoutOptions = {
  'elk.layered.wrapping.strategy': 'MULTI_EDGE',
  'elk.layered.mergeEdges': 'true',
  'elk.layered.thoroughness': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '40',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.spacing.nodeNode': '14',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.componentComponent': '28',
};

const framePadding = { top: 44, side: 16 };
const padding = `[top=${framePadding.top},left=${framePadding.side},bottom=${framePadding.side},right=${framePadding.side}]`;
const gap = 14;

/**
 * Lays a graph out in layers with right angles, in a worker. The layers go from left to right, or from top to bottom if
 * the width is small. Boxes without edges are in rows below.
 */
export async function layoutOf(graph: Graph, direction: 'RIGHT' | 'DOWN'): Promise<Layout> {
  const compact = isCompact(graph);
  const met = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  const joined = graph.boxes.filter(({ id }) => met.has(id));
  const alone = graph.boxes.filter(({ id }) => !met.has(id));
  const drawn = joined.length > 0 ? await layered(graph, joined, compact, direction) : nothing;
  return alone.length > 0 ? below(drawn, alone, graph.alone, compact, direction) : drawn;
}

const nothing: Layout = { width: 0, height: 0, boxes: new Map(), groups: [], edges: new Map() };

async function layered(
  graph: Graph,
  joined: readonly Box[],
  compact: boolean,
  direction: 'RIGHT' | 'DOWN',
): Promise<Layout> {
  const order = joined.every(({ group }) => group === null) ? { ...inOrder, ...(graph.ordered && wayBack) } : {};
  const root = await laidOut({
    id: 'root',
    layoutOptions: {
      ...common,
      ...(compact ? tight : full),
      ...order,
      'elk.direction': direction,
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    },
    children: childrenOf(joined, compact, direction),
    edges: graph.edges.map((edge) => ({
      id: edge.id,
      sources: [edge.from],
      targets: [edge.to],
      labels: compact || edge.label === '' ? [] : [{ text: edge.label, ...labelSize(edge) }],
    })),
  });
  const groups = (root.children ?? []).filter(({ children }) => children && children.length > 0);
  return {
    width: root.width ?? 0,
    height: root.height ?? 0,
    boxes: new Map((root.children ?? []).flatMap((child) => child.children?.map(placed) ?? [placed(child)])),
    groups: groups.map((group) => ({ ...placed(group)[1], title: group.id.slice(groupPrefix.length) })),
    edges: new Map(
      (root.edges ?? []).map(({ id, sections = [], labels: [label] = [] }) => [
        id,
        {
          points: sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
            [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [x, y]),
          ),
          label: label ? [label.x ?? 0, label.y ?? 0] : null,
        },
      ]),
    ),
  };
}

const groupPrefix = 'group ';

/** Converts the boxes to ELK nodes. The boxes of a group are in a common node. */
function childrenOf(boxes: readonly Box[], compact: boolean, direction: string): ElkNode[] {
  const node = (box: Box): ElkNode => ({ id: box.id, ...sizeOf(box, compact) });
  const titles = [...new Set(boxes.flatMap(({ group }) => group ?? []))];
  return [
    ...titles.map((title) => ({
      id: groupPrefix + title,
      layoutOptions: { ...common, ...(compact ? tight : full), 'elk.direction': direction, 'elk.padding': padding },
      children: boxes.filter(({ group }) => group === title).map(node),
    })),
    ...boxes.filter(({ group }) => group === null).map(node),
  ];
}

const placed = ({ id, x = 0, y = 0, width = 0, height = 0 }: ElkNode): [string, Rect] => [id, { x, y, width, height }];

/** Adds the boxes without edges below a layout, in a frame about as wide as the layout. */
function below(
  layout: Layout,
  alone: readonly Box[],
  title: string,
  compact: boolean,
  direction: 'RIGHT' | 'DOWN',
): Layout {
  const [first] = alone;
  if (!first) return layout;
  const size = sizeOf(first, compact);
  const across = Math.max(layout.width, (direction === 'DOWN' ? 2 : 6) * (size.width + gap) + 2 * framePadding.side);
  const places = packInRows(
    alone.map(({ id }) => id),
    size,
    across - 2 * framePadding.side,
    gap,
  );
  const top = layout.height === 0 ? 0 : layout.height + 2 * gap;
  const far = [...places.values()];
  const width = Math.max(...far.map((place) => place.x + place.width)) + 2 * framePadding.side;
  const height = Math.max(...far.map((place) => place.y + place.height)) + framePadding.top + framePadding.side;
  const moved = [...places].map(([id, place]): [string, Rect] => [
    id,
    { ...place, x: place.x + framePadding.side, y: place.y + top + framePadding.top },
  ]);
  return {
    ...layout,
    width: Math.max(layout.width, width),
    height: top + height,
    boxes: new Map([...layout.boxes, ...moved]),
    groups: [...layout.groups, { x: 0, y: top, width, height, title }],
  };
}

async function laidOut(given: ElkNode): Promise<ElkNode> {
  const elk = new ELK({ workerFactory: () => new Worker(elkWorker) });
  try {
    return await elk.layout(given);
  } finally {
    elk.terminateWorker();
  }
}
