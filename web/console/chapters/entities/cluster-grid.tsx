import { aboutRows, count, counted } from '../../format/format.ts';
import styles from './cluster-grid.module.css';
import { type Cluster, rowsOf } from './clusters.ts';

/**
 * Shows the clusters of an app as cards with one square for each table. Tables with more rows have darker squares. A
 * card opens its cluster.
 */
export function ClusterGrid({
  clusters,
  onOpen,
}: {
  clusters: readonly Cluster[];
  onOpen: (cluster: Cluster) => void;
}) {
  const max = Math.max(1, ...clusters.flatMap(({ entities }) => entities.map(rowsOf)));
  return (
    <ul className={styles.grid} aria-label="Clusters of entities">
      {clusters.map((cluster) => (
        <li key={cluster.name}>
          <button type="button" className={styles.card} onClick={() => onOpen(cluster)}>
            <span className={styles.head}>
              <b className="cut">{cluster.name}</b>
              <span className={styles.rows}>{aboutRows(cluster.rows)}</span>
              <span className={styles.many}>
                {count(cluster.entities.length)}
                <span className="sr"> {cluster.entities.length === 1 ? 'entity' : 'entities'}</span>
              </span>
            </span>
            <span className={styles.squares} aria-hidden="true">
              {cluster.entities.map((entity) => (
                <i key={entity.id} title={entity.name} data-rows={weightOf(rowsOf(entity) / max)} />
              ))}
            </span>
            <span className={styles.words}>
              {counted(cluster.inside, 'relation')} inside, {count(cluster.outside)} to others
            </span>
            <span className={styles.words}>
              {cluster.entities
                .slice(0, 3)
                .map(({ name }) => name)
                .join(', ')}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/**
 * Returns the darkness of a table's square.
 * @param part Rows of the table divided by the rows of the largest table.
 */
const weightOf = (part: number): 'most' | 'many' | 'few' => (part >= 0.1 ? 'most' : part >= 0.001 ? 'many' : 'few');
