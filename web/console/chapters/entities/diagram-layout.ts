import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import elkWorker from 'elkjs/lib/elk-worker.min.js?url';
import { boxHeight, boxWidth, type Graph, type Point } from './diagram-graph.ts';

export interface Layout {
  width: number;
  height: number;
  /** Left upper corner of each box, by its id. */
  boxes: ReadonlyMap<string, Point>;
  /** Points of each edge and the left upper corner of its label, by its id. */
  edges: ReadonlyMap<string, { points: Point[]; label: Point | null }>;
}

const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '40',
  'elk.layered.spacing.edgeNodeBetweenLayers': '20',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '20',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.componentComponent': '28',
  'elk.aspectRatio': '2.6',
  'elk.padding': '[top=6,left=1,bottom=6,right=8]',
};

const labelHeight = 16;
/** Width of a label of 11 px, near enough to keep its place free. */
const labelWidth = (text: string) => text.length * 6.2 + 8;

/** Lays a graph out in layers from left to right with right angles, in a worker of its own. */
export async function layoutOf(graph: Graph): Promise<Layout> {
  const elk = new ELK({ workerFactory: () => new Worker(elkWorker) });
  try {
    const given: ElkNode = {
      id: 'root',
      layoutOptions: options,
      children: graph.boxes.map(({ id }) => ({ id, width: boxWidth, height: boxHeight })),
      edges: graph.edges.map(({ id, from, to, label }) => ({
        id,
        sources: [from],
        targets: [to],
        labels: [{ text: label, width: labelWidth(label), height: labelHeight }],
      })),
    };
    const root = await elk.layout(given);
    return {
      width: root.width ?? 0,
      height: root.height ?? 0,
      boxes: new Map((root.children ?? []).map(({ id, x = 0, y = 0 }) => [id, [x, y]])),
      edges: new Map(
        (root.edges ?? []).map(({ id, sections = [], labels = [] }) => {
          const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
            [startPoint, ...bendPoints, endPoint].map(({ x, y }): Point => [x, y]),
          );
          const [label] = labels;
          return [id, { points, label: label ? [label.x ?? 0, label.y ?? 0] : null }];
        }),
      ),
    };
  } finally {
    elk.terminateWorker();
  }
}
