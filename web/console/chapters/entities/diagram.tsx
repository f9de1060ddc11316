import { useElementSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EntitiesChapter, Entity } from '../../../../contract/specification.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Figure } from '../../../ui/figure.tsx';
import { count, counted } from '../../format/format.ts';
import styles from './diagram.module.css';
import {
  type Box,
  boxHeight,
  boxWidth,
  type Edge,
  type Graph,
  graphOf,
  mostBoxes,
  roundedPath,
} from './diagram-graph.ts';
import type { Layout } from './diagram-layout.ts';

/** The smallest scale at which the words can be read; beyond it the figure scrolls. */
const least = 0.8;

/** Entities as boxes, relations as arrows with right angles from what points to what is pointed to. */
export function Diagram({
  chapter,
  selected,
  onSelect,
}: {
  /** Missing while it is not known: the figure holds its place. */
  chapter: EntitiesChapter | undefined;
  selected: Entity | null;
  onSelect: (entity: Entity) => void;
}) {
  const graph = useMemo(() => graphOf(chapter ?? nothing), [chapter]);
  const shape = graph.boxes.map(({ id }) => id).join() + graph.edges.map(({ id, label }) => id + label).join();
  const drawn = graph.boxes.length <= mostBoxes;
  const { data: layout, isError } = useQuery({
    queryKey: ['diagram', shape],
    queryFn: async () => (await import('./diagram-layout.ts')).layoutOf(graph),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: drawn && chapter !== undefined,
  });
  const alone = (chapter?.entities.length ?? 0) - graph.boxes.filter(({ entity }) => entity).length;
  const { ref, width } = useElementSize();
  const scale = layout && width > 0 ? Math.max(least, Math.min(1, width / layout.width)) : 1;
  return (
    <Figure
      number="Figure 3.1"
      caption="What points to what: rows now, fields"
      tools={alone > 0 && <span className="soft">{counted(alone, 'entity', 'entities')} without a relation</span>}
    >
      {drawn ? (
        <div
          className={styles.frame}
          ref={ref}
          style={{ minHeight: layout ? layout.height * scale + 8 : guess(graph) }}
        >
          {!layout && <Waiting failed={isError} />}
          {layout && width > 0 && (
            <Drawing graph={graph} layout={layout} scale={scale} selected={selected} onSelect={onSelect} />
          )}
        </div>
      ) : (
        <p className={styles.tooMany}>
          {counted(graph.boxes.length, 'box', 'boxes')} are too many to draw. Choose an entity below: its panel tells
          what it points to and what points to it.
        </p>
      )}
    </Figure>
  );
}

/** Says that the figure is on its way, or that it will not come: what it shows is in the table and the panel too. */
function Waiting({ failed }: { failed: boolean }) {
  return (
    <p className="soft" role="status">
      {failed ? 'The figure could not be drawn. The panel of an entity tells the same.' : 'Drawing'}
    </p>
  );
}

const nothing: EntitiesChapter = { entities: [], relations: [], sources: [] };

/** About how high the figure will be, so that little moves when it comes. */
const guess = ({ boxes }: Graph): number => Math.min(480, Math.max(3, Math.ceil(boxes.length / 3)) * (boxHeight + 28));

function Drawing({
  graph,
  layout,
  scale,
  selected,
  onSelect,
}: {
  graph: Graph;
  layout: Layout;
  scale: number;
  selected: Entity | null;
  onSelect: (entity: Entity) => void;
}) {
  const hot = ({ from, to }: Edge) => selected !== null && [from, to].includes(`${selected.schema}.${selected.name}`);
  return (
    <div className={styles.scaled} style={{ width: layout.width * scale, height: layout.height * scale }}>
      <div className={styles.drawing} style={{ width: layout.width, height: layout.height, scale: String(scale) }}>
        <svg className={styles.edges} width={layout.width} height={layout.height} aria-hidden="true">
          {graph.edges.map((edge) => (
            <Arrow key={edge.id} edge={edge} layout={layout} hot={hot(edge)} />
          ))}
        </svg>
        {graph.boxes.map((box) => (
          <EntityBox key={box.id} box={box} layout={layout} selected={selected} onSelect={onSelect} />
        ))}
      </div>
    </div>
  );
}

function Arrow({ edge, layout, hot }: { edge: Edge; layout: Layout; hot: boolean }) {
  const drawn = layout.edges.get(edge.id);
  const tip = drawn?.points.at(-1);
  const before = drawn?.points.at(-2);
  if (!drawn || !tip || !before) return null;
  const turn = (Math.atan2(tip[1] - before[1], tip[0] - before[0]) * 180) / Math.PI;
  return (
    <g className={classNames(styles.edge, hot && styles.hot)}>
      <path className={styles.line} d={roundedPath(drawn.points, 6)} />
      <path className={styles.tip} d="M-7 -3.5L0 0L-7 3.5z" transform={`translate(${tip.join()}) rotate(${turn})`} />
      {drawn.label && (
        <text className={styles.label} x={drawn.label[0] + 4} y={drawn.label[1] + 11}>
          {edge.label}
        </text>
      )}
    </g>
  );
}

function EntityBox({
  box: { id, name, entity },
  layout,
  selected,
  onSelect,
}: {
  box: Box;
  layout: Layout;
  selected: Entity | null;
  onSelect: (entity: Entity) => void;
}) {
  const [left, top] = layout.boxes.get(id) ?? [0, 0];
  const place = { left, top, width: boxWidth, height: boxHeight };
  if (!entity) {
    return (
      <div className={classNames(styles.box, styles.outside)} style={place}>
        <span className={styles.name}>{name}</span>
        <span className={styles.fields}>not exposed</span>
      </div>
    );
  }
  const rows = entity.kind === 'view' ? null : entity.figures?.rows_estimate;
  return (
    <button
      type="button"
      className={classNames(styles.box, entity.kind !== 'table' && styles.derived)}
      style={place}
      aria-pressed={entity === selected}
      aria-label={`${name}, ${entity.kind}`}
      onClick={() => onSelect(entity)}
    >
      <span className={styles.name} title={name}>
        {name}
      </span>
      <span className={styles.rows}>{rows !== null && rows !== undefined ? count(rows) : entity.kind}</span>
      <span className={styles.fields}>{counted(entity.fields.length, 'field')}</span>
    </button>
  );
}
