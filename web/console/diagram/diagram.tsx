import { Select } from '@mantine/core';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Figure } from '../../ui/figure.tsx';
import { Icon } from '../../ui/icon.tsx';
import { code, MissingCode } from '../../ui/recovery/code.ts';
import { useRecovery } from '../../ui/recovery/use-recovery.ts';
import styles from './diagram.module.css';
import type { Layout } from './geometry.ts';
import { type Box, type Graph, isCompact, labelSize, sizeOf } from './graph.ts';
import { type Palette, svgOf } from './svg.ts';
import { heightOf } from './view.ts';

const colours = [
  'paper',
  'paper-2',
  'raised',
  'rule-2',
  'edge',
  'ink',
  'ink-2',
  'ink-3',
  'blue',
  'error',
  'd-1',
  'd-2',
  'd-3',
  'd-4',
  'd-5',
  'd-6',
] as const satisfies readonly (keyof Palette)[];

/** Saves the diagram as an SVG file in the current colours. */
function saveSvg(graph: Graph, layout: Layout, name: string): void {
  const style = getComputedStyle(document.documentElement);
  const palette = Object.fromEntries(colours.map((colour) => [colour, style.getPropertyValue(`--${colour}`).trim()]));
  save(svgOf(graph, layout, palette as Palette, name), 'image/svg+xml', `${name}.svg`);
}

function save(content: string, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

const canvas = code(() => import('./canvas.tsx'));
const layouts = code(() => import('./layout.ts'));
const Canvas = lazy(async () => ({ default: (await canvas()).Canvas }));

interface DiagramProps {
  /** Number of the figure, for example "Figure 3.1". */
  number: string;
  caption: ReactNode;
  /** Accessible name of the diagram. */
  label: string;
  /** Text that is shown before the tools of the figure. */
  remark?: ReactNode;
  /** Name of the exported file without its extension. */
  name: string;
  /** Undefined until the graph is loaded. Until then, a placeholder is shown. */
  graph: Graph | undefined;
  /** Texts by which the search finds a box, in addition to its name. Undefined if the diagram has no search. */
  words: ReadonlyMap<string, string> | undefined;
  /** The boxes that the search finds, if `graph` is only a part of a larger graph. */
  searched?: { boxes: Graph['boxes']; onFind: (id: string) => void } | undefined;
  /** Id of the box whose details the panel shows. */
  selected: string | null;
  /** Ids of the highlighted edges. */
  hot: ReadonlySet<string>;
  mermaid: () => string;
  /** Name of the part, if `graph` is a part of a larger graph. Each part starts with its own initial view. */
  part?: string;
  /** Content that is shown instead of a large graph. In it the reader chooses a part of the graph. */
  instead?: ReactNode;
  onOpen: (id: string) => void;
}

/**
 * Diagram of boxes and edges with an automatic layout, a search, and exports as SVG and as Mermaid. Its packages are
 * loaded when it first becomes visible.
 */
export function Diagram({
  number,
  caption,
  label,
  remark,
  name,
  graph,
  words,
  searched,
  selected,
  hot,
  mermaid,
  part = '',
  instead,
  onOpen,
}: DiagramProps) {
  const narrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const { data: layout, error } = useLayout(graph, narrow ? 'DOWN' : 'RIGHT', part);
  useRecovery(error, null);
  const { ref, width } = useElementSize();
  // Loads the drawing code while the layout is computed.
  useEffect(() => {
    canvas().catch(() => undefined); // The figure shows the failure when it is drawn.
  }, []);
  const searchable = searched?.boxes ?? graph?.boxes;
  const height = instead ? 0 : layout && width > 0 ? heightOf(layout, width) : guess(graph);
  return (
    <Figure
      number={number}
      caption={caption}
      tools={
        <>
          {remark}
          {words && searchable && <Find boxes={searchable} words={words} onFind={searched?.onFind ?? onOpen} />}
          {!instead && graph && layout && (
            <Button small icon={IconDownload} label="Save as SVG" onClick={() => saveSvg(graph, layout, name)}>
              SVG
            </Button>
          )}
          {graph && <CopyButton text={mermaid} what="the figure in Mermaid" word="Mermaid" />}
        </>
      }
    >
      <div ref={ref} className={styles.room} style={{ minHeight: height }}>
        {instead ? (
          instead
        ) : error ? (
          <Failed error={error} />
        ) : (
          graph &&
          layout &&
          width > 0 && (
            <Suspense fallback={<Drawing />}>
              <Canvas
                key={part}
                label={label}
                graph={graph}
                layout={layout}
                room={{ width, height }}
                selected={selected}
                hot={hot}
                onOpen={onOpen}
              />
            </Suspense>
          )
        )}
        {!instead && !error && !layout && <Drawing />}
      </div>
    </Figure>
  );
}

const Failed = ({ error }: { error: Error }) => (
  <p className={styles.words}>
    {error instanceof MissingCode
      ? 'The figure could not be loaded. The page reloads when the server answers.'
      : 'The figure could not be drawn. The table and the panel contain the same information.'}
  </p>
);

const Drawing = () => (
  <p className={styles.words} role="status">
    Drawing …
  </p>
);

/** Computes the layout of a graph. It is computed again only if the boxes or edges change, not if only figures change. */
function useLayout(graph: Graph | undefined, direction: 'RIGHT' | 'DOWN', part: string) {
  const shape = useMemo(() => (graph ? shapeOf(graph) : ''), [graph]);
  return useQuery({
    queryKey: ['layout', part, direction, shape],
    queryFn: async (): Promise<Layout> => (await layouts()).layoutOf(graph ?? none, direction),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    enabled: graph !== undefined && graph.boxes.length > 0,
    placeholderData: (before, query) => (query?.queryKey[1] === part ? before : undefined),
  });
}

const none: Graph = { boxes: [], edges: [], alone: '', ordered: false };

/** Returns what the layout depends on, as text. */
const shapeOf = (graph: Graph): string => {
  const compact = isCompact(graph);
  return JSON.stringify([
    graph.boxes.map((box) => [box.id, box.group, sizeOf(box, compact).width]),
    graph.edges.map((edge) => [edge.id, edge.from, edge.to, compact ? 0 : labelSize(edge).width]),
    graph.alone,
    compact,
  ]);
};

/** Returns the approximate height of the diagram, so that the page moves little when the diagram is loaded. */
const guess = (graph: Graph | undefined): number =>
  Math.min(480, Math.max(2, Math.ceil((graph?.boxes.length ?? 6) / 3)) * 92);

/** Field that searches for boxes of the diagram. */
function Find({
  boxes,
  words,
  onFind,
}: {
  boxes: readonly Box[];
  words: ReadonlyMap<string, string>;
  onFind: (id: string) => void;
}) {
  const data = useMemo(
    () =>
      boxes
        .filter(({ look }) => look !== 'start' && look !== 'outside')
        .map(({ id, name, group }) => ({ value: id, label: group === null ? name : `${group}.${name}` })),
    [boxes],
  );
  return (
    <Select
      className={styles.find ?? ''}
      aria-label="Find in the figure"
      placeholder="Find in the figure"
      leftSection={<Icon of={IconSearch} small />}
      leftSectionWidth={28}
      rightSection={null}
      searchable
      limit={12}
      nothingFoundMessage="No entry with that name"
      data={data}
      value={null}
      selectFirstOptionOnChange
      filter={({ options, search, limit }) => {
        const text = search.trim().toLowerCase();
        return options
          .filter(
            (option) =>
              'value' in option && `${option.label}\n${words.get(option.value) ?? ''}`.toLowerCase().includes(text),
          )
          .slice(0, limit);
      }}
      onChange={(id) => id !== null && onFind(id)}
    />
  );
}
