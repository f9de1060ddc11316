import '@xyflow/react/dist/base.css';
import { IconArrowsMaximize, IconArrowsMove, IconMinus, IconPlus } from '@tabler/icons-react';
import {
  type EdgeProps,
  type Edge as FlowEdge,
  type Node as FlowNode,
  Handle,
  MiniMap,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { createContext, type KeyboardEvent, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FlashOnChange } from '../../ui/live-value.tsx';
import styles from './canvas.module.css';
import { arrowHead, boxTowards, type Layout, roundedPath, shortened } from './geometry.ts';
import { type Box, type Edge, type Graph, hubOf, isCompact, labelSize } from './graph.ts';
import { type Room, startingView, type View } from './view.ts';

type BoxNode = FlowNode<{ box: Box; compact: boolean }, 'box'>;
type FrameNode = FlowNode<{ title: string }, 'frame'>;
type RoutedEdge = FlowEdge<
  { edge: Edge; drawn: Layout['edges'] extends ReadonlyMap<string, infer E> ? E : never },
  'routed'
>;

/** Values that are common to all boxes and edges of the canvas. */
interface Shared {
  selected: string | null;
  /** Id of the box in the tab order. */
  tabbed: string | null;
  hot: ReadonlySet<string>;
  dimmed: boolean;
  open: (id: string) => void;
  reach: (id: string) => void;
  move: (event: KeyboardEvent) => void;
}
const SharedContext = createContext<Shared | null>(null);
const useShared = (): Shared => {
  const shared = use(SharedContext);
  if (!shared) throw new Error('A box or an edge stands outside of a canvas.');
  return shared;
};

export interface CanvasProps {
  label: string;
  graph: Graph;
  layout: Layout;
  room: Room;
  /** Id of the box whose details the panel shows. */
  selected: string | null;
  /** Ids of the highlighted edges. */
  hot: ReadonlySet<string>;
  /** Called when the reader opens a box. */
  onOpen: (id: string) => void;
}

/**
 * Canvas with a laid-out diagram that can be moved and zoomed. The boxes are buttons. One box is in the tab order;
 * arrows, Home and End move between boxes. The wheel scrolls the page, or zooms with Ctrl or Cmd.
 */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

/** Minimum width with which the map is shown. In a narrower figure the map would cover the diagram. */
const leastForMap = 640;
const coarse = window.matchMedia('(pointer: coarse)');

function Flow({ label, graph, layout, room, selected, hot, onOpen }: CanvasProps) {
  const compact = isCompact(graph);
  const [held, setHeld] = useState(!coarse.matches);
  const [reached, setReached] = useState<string | null>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const tabbed = [reached, selected, graph.boxes.find(({ look }) => look !== 'start')?.id].find(
    (id) => id !== null && id !== undefined && layout.boxes.has(id),
  );
  const start = useStart(graph, layout, room, selected);
  const fits = layout.width * start.zoom <= room.width && layout.height * start.zoom <= room.height;
  const show = useShow(layout, fits ? start : null);

  useEffect(() => {
    if (selected !== null) show(selected);
  }, [selected, show]);

  const focus = useCallback(
    (id: string) => {
      setReached(id);
      show(id);
      canvas.current?.querySelector<HTMLElement>(`[data-box="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
    },
    [show],
  );
  const move = useCallback(
    (event: KeyboardEvent) => {
      const from = event.currentTarget.getAttribute('data-box');
      const to = from === null ? null : boxTowards(event.key, from, opening(graph, layout));
      if (to === null) return;
      event.preventDefault();
      focus(to);
    },
    [graph, layout, focus],
  );

  const shared = useMemo(
    (): Shared => ({
      selected,
      tabbed: tabbed ?? null,
      hot,
      dimmed: compact && hot.size > 0,
      open: onOpen,
      reach: setReached,
      move,
    }),
    [selected, tabbed, hot, compact, onOpen, move],
  );
  const nodes = useMemo(() => nodesOf(graph, layout, compact), [graph, layout, compact]);
  const drawn = useMemo(() => edgesOf(graph, layout), [graph, layout]);
  // Highlighted edges are drawn above the other edges.
  const edges = useMemo(() => drawn.toSorted((a, b) => Number(hot.has(a.id)) - Number(hot.has(b.id))), [drawn, hot]);

  return (
    <SharedContext value={shared}>
      <div ref={canvas} className={styles.canvas} data-held={held || undefined}>
        <div style={{ height: room.height }}>
          <ReactFlow<BoxNode | FrameNode, RoutedEdge>
            aria-label={label}
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            defaultViewport={start}
            minZoom={start.least}
            maxZoom={2}
            translateExtent={start.extent}
            panOnDrag={held}
            {...fixed}
          >
            {compact && room.width >= leastForMap && <Overview layout={layout} />}
            {!fits && <Fades layout={layout} />}
          </ReactFlow>
        </div>
        {!fits && <Zoom onHold={coarse.matches ? () => setHeld(!held) : null} held={held} />}
      </div>
    </SharedContext>
  );
}

/** Shows a fade at each side of the figure where the diagram continues. */
function Fades({ layout }: { layout: Layout }) {
  const left = useStore(({ transform: [x] }) => x < -fadeFrom);
  const right = useStore(({ transform: [x, , zoom], width }) => x + layout.width * zoom > width + fadeFrom);
  return (
    <>
      {left && <div className={classNames(styles.fade, styles.fadeLeft)} />}
      {right && <div className={classNames(styles.fade, styles.fadeRight)} />}
    </>
  );
}
const fadeFrom = 4;

/** Map of the complete diagram, shown while only a part is visible. */
function Overview({ layout: { width, height } }: { layout: Layout }) {
  const whole = useStore(
    ({ transform: [, , zoom], ...room }) => width * zoom <= room.width && height * zoom <= room.height,
  );
  if (whole) return null;
  return (
    <MiniMap<BoxNode | FrameNode>
      className={styles.map ?? ''}
      ariaLabel="The whole figure, small"
      pannable
      nodeColor={({ type, data }) =>
        type === 'frame' ? 'var(--paper-3)' : `var(--${'box' in data ? data.box.colour : 'd-6'})`
      }
      nodeStrokeWidth={0}
      maskColor="color-mix(in srgb, var(--paper-2) 70%, transparent)"
    />
  );
}

/**
 * Returns the initial view, in which the selected box is visible. The view is computed again if the size of the figure
 * or the layout changes.
 */
function useStart(graph: Graph, layout: Layout, { width, height }: Room, selected: string | null): View {
  const { setViewport } = useReactFlow();
  const hub = useMemo(() => (graph.ordered ? undefined : hubOf(graph)), [graph]);
  const centre = useRef(selected ?? hub);
  useEffect(() => {
    centre.current = selected ?? hub;
  }, [selected, hub]);
  const start = useMemo(() => startingView(layout, { width, height }, centre.current), [layout, width, height]);
  const drawn = useRef(start);
  useEffect(() => {
    if (drawn.current === start) return;
    drawn.current = start;
    void setViewport(start);
  }, [start, setViewport]);
  return start;
}

/** Returns the boxes that the arrow keys can reach: all boxes except the dot before the initial state. */
const opening = ({ boxes }: Graph, layout: Layout) =>
  new Map([...layout.boxes].filter(([id]) => boxes.some((box) => box.id === id && box.look !== 'start')));

/**
 * Returns a function that moves the view to a box if the box is not visible.
 * @param whole The view that shows the whole diagram; null if the diagram does not fit.
 */
function useShow(layout: Layout, whole: View | null): (id: string) => void {
  const { getViewport, setCenter, setViewport } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  return useCallback(
    (id: string) => {
      const box = layout.boxes.get(id);
      if (!box || width === 0) return;
      const { x, y, zoom } = getViewport();
      const left = box.x * zoom + x;
      const top = box.y * zoom + y;
      const within =
        left >= 0 && top >= 0 && left + box.width * zoom <= width && top + box.height * zoom <= height && zoom >= 0.6;
      if (within) return;
      // A view of one box would hide others without a need.
      if (whole) {
        void setViewport(whole);
        return;
      }
      void setCenter(box.x + box.width / 2, box.y + box.height / 2, {
        zoom: Math.max(zoom, 0.9),
        duration: animationMilliseconds(),
      });
    },
    [layout, whole, getViewport, setCenter, setViewport, width, height],
  );
}

/** Buttons that change the scale. */
function Zoom({ held, onHold }: { held: boolean; onHold: (() => void) | null }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const duration = animationMilliseconds();
  return (
    <div className={styles.zoom}>
      {onHold && (
        <Button small square icon={IconArrowsMove} label="Move with one finger" aria-pressed={held} onClick={onHold} />
      )}
      <Button small square icon={IconPlus} label="Larger" onClick={() => void zoomIn({ duration })} />
      <Button small square icon={IconMinus} label="Smaller" onClick={() => void zoomOut({ duration })} />
      <Button
        small
        square
        icon={IconArrowsMaximize}
        label="The whole figure"
        onClick={() => void fitView({ duration, padding: 0.06 })}
      />
    </div>
  );
}

const nodesOf = (graph: Graph, layout: Layout, compact: boolean): (BoxNode | FrameNode)[] => [
  ...layout.groups.map(
    ({ title, x, y, width, height }): FrameNode => ({
      id: `frame ${title}`,
      type: 'frame',
      position: { x, y },
      width,
      height,
      zIndex: -1,
      data: { title },
    }),
  ),
  ...graph.boxes.flatMap((box): BoxNode[] => {
    const place = layout.boxes.get(box.id);
    if (!place) return [];
    const { x, y, width, height } = place;
    return [{ id: box.id, type: 'box', position: { x, y }, width, height, data: { box, compact } }];
  }),
];

const edgesOf = (graph: Graph, layout: Layout): RoutedEdge[] =>
  graph.edges.flatMap((edge): RoutedEdge[] => {
    const drawn = layout.edges.get(edge.id);
    if (!drawn || !layout.boxes.has(edge.from) || !layout.boxes.has(edge.to)) return [];
    return [
      {
        id: edge.id,
        type: 'routed',
        source: edge.from,
        target: edge.to,
        ariaLabel: edge.says,
        data: { edge, drawn },
      },
    ];
  });

/** Box of an entity or a state. */
function BoxFace({ data: { box, compact } }: NodeProps<BoxNode>) {
  const { selected, tabbed, open, reach, move } = useShared();
  const { id, name, figure, isEstimate, remark, look, colour, says } = box;
  const face = (
    <>
      <span className={styles.name}>{name}</span>
      {figure !== null && (
        <span className={styles.figure}>
          {isEstimate && <small className={styles.about}>about </small>}
          <FlashOnChange value={figure}>{figure}</FlashOnChange>
        </span>
      )}
      {!compact && remark !== '' && <span className={styles.remark}>{remark}</span>}
    </>
  );
  const look_ = classNames(styles.box, styles[look], compact && styles.compact);
  const bar = { '--bar': `var(--${colour})` } as React.CSSProperties;
  return (
    <>
      <Ends />
      {look === 'start' ? (
        <span className={styles.start} />
      ) : look === 'outside' ? (
        <div className={look_} style={bar} data-box={id}>
          {face}
        </div>
      ) : (
        <button
          type="button"
          className={look_}
          style={bar}
          data-box={id}
          aria-pressed={id === selected}
          aria-label={says}
          tabIndex={id === tabbed ? 0 : -1}
          onFocus={() => reach(id)}
          onKeyDown={move}
          onClick={() => open(id)}
        >
          {face}
        </button>
      )}
    </>
  );
}

/** Handles of a box. React Flow requires them, although the layout gives each edge its own points. */
function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={styles.end ?? ''} />
      <Handle type="source" position={Position.Right} isConnectable={false} className={styles.end ?? ''} />
    </>
  );
}

/** Frame of a group of boxes with its heading. */
function Frame({ data: { title } }: NodeProps<FrameNode>) {
  const zoom = useStore((store) => store.transform[2]);
  return (
    <div className={styles.frame} style={{ '--zoom': Math.max(0.25, Math.min(1, zoom)) } as React.CSSProperties}>
      <span>{title}</span>
    </div>
  );
}

/** Edge along the points of the layout. */
function RoutedLine({ data }: EdgeProps<RoutedEdge>) {
  const { hot, dimmed } = useShared();
  if (!data) return null;
  const { edge, drawn } = data;
  const head = arrowHead(drawn.points);
  if (!head) return null;
  const words = drawn.label && { x: drawn.label[0] + labelSize(edge).width / 2, y: drawn.label[1] + 12 };
  return (
    <g
      className={classNames(
        styles.edge,
        hot.has(edge.id) ? styles.hot : dimmed && styles.dimmed,
        edge.bad && styles.bad,
      )}
    >
      <path className={styles.line} d={roundedPath(shortened(drawn.points, 6), 8)} strokeWidth={edge.weight} />
      <path
        className={styles.tip}
        d="M-8 -4L0 0L-8 4z"
        transform={`translate(${head.at.join()}) rotate(${head.turn})`}
      />
      {words && (
        <text className={styles.words} x={words.x} y={words.y} textAnchor="middle">
          {edge.label}
          {edge.figure !== null && (
            <tspan className={styles.count} dx="5">
              {edge.figure}
            </tspan>
          )}
        </text>
      )}
    </g>
  );
}

/** Options of React Flow: the reader can move the view, but not the boxes. Boxes and edges have their own buttons and keys. */
const fixed = {
  nodesDraggable: false,
  nodesConnectable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  zoomOnScroll: false,
  zoomOnDoubleClick: false,
  preventScrolling: false,
  disableKeyboardA11y: true,
  // React Flow's attribution would cover the diagram. Another page of the console lists the packages that it uses.
  proOptions: { hideAttribution: true },
};
const nodeTypes = { box: BoxFace, frame: Frame };
const edgeTypes = { routed: RoutedLine };

const still = window.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Returns the duration of a movement in the diagram in ms: the duration of the design tokens, or 0 if the reader
 * prefers reduced motion.
 */
const animationMilliseconds = (): number => (still.matches ? 0 : 220);
