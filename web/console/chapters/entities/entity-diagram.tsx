import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import type { EntitiesChapter, Entity } from '../../../../contract/specification-entities.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Diagram } from '../../diagram/diagram.tsx';
import { around, type Graph, isCompact, within } from '../../diagram/graph.ts';
import { counted, entityName } from '../../format/format.ts';
import { ClusterGrid } from './cluster-grid.tsx';
import { type Cluster, clustersOf } from './clusters.ts';
import styles from './entities.module.css';
import { edgesAt, entityGraph, fieldWords } from './entity-graph.ts';
import { entityMermaid } from './entity-mermaid.ts';

const number = 'Figure 3.1';
const label = 'Entities and what they point to';

interface Shown {
  appRef: string;
  chapter: EntitiesChapter;
  selected: Entity | null;
  onOpen: (id: string) => void;
}

/**
 * Diagram of entities as boxes, and of relations as right-angled arrows from the referencing to the referenced entity.
 * Many entities have three levels: clusters, the tables of a cluster, one table with its neighbours.
 */
export function EntityDiagram({
  chapter,
  ...shown
}: Omit<Shown, 'chapter'> & { chapter: EntitiesChapter | undefined }) {
  const graph = useMemo(() => chapter && entityGraph(chapter), [chapter]);
  if (chapter && graph && isCompact(graph)) return <Levels {...shown} chapter={chapter} graph={graph} />;
  return <Drawn {...shown} chapter={chapter} graph={graph} caption="What points to what: estimated rows, fields" />;
}

type Level = 'clusters' | 'tables' | 'table';

function Levels({ graph, ...shown }: Shown & { graph: Graph }) {
  const { chapter, selected, onOpen } = shown;
  const { cluster: named } = useSearch({ from: '/signed-in/app/$ref/entities' });
  const navigate = useNavigate({ from: '/app/$ref/entities' });
  const levels = useRef<HTMLSpanElement>(null);
  const clusters = useMemo(() => clustersOf(chapter), [chapter]);
  const cluster = clusters.find(({ name }) => name === named);
  const own = clusters.find(({ entities }) => selected !== null && entities.includes(selected));
  const level: Level = cluster ? 'tables' : selected ? 'table' : 'clusters';
  const go = useCallback(
    (to: { cluster?: Cluster | undefined; entity?: Entity | null | undefined }) =>
      void navigate({
        search: { ...(to.cluster && { cluster: to.cluster.name }), ...(to.entity && { entity: to.entity.id }) },
        resetScroll: false,
      }),
    [navigate],
  );
  const find = useCallback(
    (id: string) => go({ entity: chapter.entities.find((entity) => entity.id === id) }),
    [go, chapter],
  );
  const centre = cluster ?? own ?? clusters[0];
  const choose = (to: 'clusters' | 'tables' | 'table') => {
    if (to === 'clusters') go({});
    else if (to === 'tables') go({ cluster: centre, entity: selected });
    else go({ entity: selected ?? centre?.entities[0] });
  };
  const options = [
    ['clusters', `Clusters ${clusters.length}`],
    ['tables', `Tables ${centre?.entities.length ?? 0}`],
    ['table', 'One table'],
  ] as const;
  const part = useMemo(() => {
    if (cluster) return within(graph, new Set(cluster.entities.map(({ id }) => id)));
    return selected && around(graph, new Set([selected.id]));
  }, [graph, cluster, selected]);

  /** Opens another level of the diagram. That level does not contain the clicked button, so the focus moves to the choice of levels. */
  const leave = (to: Parameters<typeof go>[0]) => {
    levels.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus({ preventScroll: true });
    go(to);
  };
  const crumb = (text: string, to: Parameters<typeof go>[0]) => (
    <button type="button" className={styles.crumb} onClick={() => leave(to)}>
      {text}
    </button>
  );
  return (
    <Drawn
      {...shown}
      onOpen={level === 'table' ? find : onOpen}
      graph={part ?? undefined}
      part={cluster ? `cluster ${cluster.name}` : `entity ${selected?.id}`}
      instead={part ? undefined : <ClusterGrid clusters={clusters} onOpen={(opened) => leave({ cluster: opened })} />}
      searched={{ boxes: graph.boxes, onFind: find }}
      remark={
        <span ref={levels}>
          <Segmented label="Level" value={level} options={options} onChange={choose} />
        </span>
      }
      caption={
        part ? (
          <>
            {crumb(counted(clusters.length, 'cluster'), {})} /{' '}
            {cluster && `${cluster.name}, ${counted(cluster.entities.length, 'entity', 'entities')}`}
            {!cluster && own && <>{crumb(own.name, { cluster: own, entity: selected })} / </>}
            {!cluster &&
              selected &&
              `${entityName(selected.schema, selected.name)} and ${counted(part.boxes.length - 1, 'neighbour')}`}
          </>
        ) : (
          `${counted(clusters.length, 'cluster')}, by relation. One square is one entity, dark squares have the most rows.`
        )
      }
    />
  );
}

function Drawn({
  appRef,
  chapter,
  selected,
  graph,
  caption,
  remark,
  searched,
  part,
  instead,
  onOpen,
}: Omit<Shown, 'chapter'> & {
  chapter: EntitiesChapter | undefined;
  graph: Graph | undefined;
  caption: ReactNode;
  remark?: ReactNode;
  part?: string;
  instead?: ReactNode;
  searched?: { boxes: Graph['boxes']; onFind: (id: string) => void } | undefined;
}) {
  const words = useMemo(() => (chapter ? fieldWords(chapter) : undefined), [chapter]);
  const id = selected?.id ?? null;
  const hot = useMemo(() => (graph ? edgesAt(graph, id) : new Set<string>()), [graph, id]);
  const mermaid = useCallback(() => (chapter ? entityMermaid(chapter) : ''), [chapter]);
  return (
    <Diagram
      number={number}
      caption={caption}
      label={label}
      remark={remark}
      name={`${appRef}-entities`}
      graph={graph}
      words={words}
      searched={searched}
      part={part ?? ''}
      instead={instead}
      selected={id}
      hot={hot}
      mermaid={mermaid}
      onOpen={onOpen}
    />
  );
}
