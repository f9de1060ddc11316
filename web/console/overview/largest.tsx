import { Link } from '@tanstack/react-router';
import type { Entity } from '../../../contract/specification-entities.ts';
import { LoadingRows, Table } from '../../ui/table.tsx';
import { aboutRows, bytes, count, entityName } from '../format/format.ts';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

const max = 8;

/** Lists the largest entities with their current figures. Shows nothing if all entities are empty. */
export function Largest({
  appRef,
  entities,
}: {
  appRef: string;
  /** Undefined until the entities are loaded. Until then, placeholders are shown. */
  entities: readonly Entity[] | undefined;
}) {
  if (!entities) {
    return (
      <div className={styles.largest}>
        <SideSection title="Largest entities">
          <Table label="Largest entities">
            <tbody>
              <LoadingRows rows={max} widths={[80, 60]} />
            </tbody>
          </Table>
        </SideSection>
      </div>
    );
  }

  const known = entities
    .flatMap((entity) => (entity.figures && entity.kind !== 'view' ? [{ entity, figures: entity.figures }] : []))
    .toSorted((a, b) => b.figures.size_bytes - a.figures.size_bytes);
  if (known.length === 0) return null;
  const params = { ref: appRef };
  return (
    <div className={styles.largest}>
      <SideSection
        title="Largest entities"
        aside={known.length > max ? `the ${max} largest of ${count(known.length)}` : undefined}
      >
        <Table label="Largest entities">
          <thead className="sr">
            <tr>
              <th>Entity</th>
              <th>Description</th>
              <th>Rows</th>
              <th>Size</th>
            </tr>
          </thead>
          <tbody>
            {known.slice(0, max).map(({ entity, figures }) => (
              <tr key={entity.id}>
                <td className={styles.largestName}>
                  <Link to="/app/$ref/entities" params={params} search={{ entity: entity.id }}>
                    <code>{entityName(entity.schema, entity.name)}</code>
                  </Link>
                </td>
                <td className={styles.comment}>{entity.comment}</td>
                <td className="num">{aboutRows(figures.rows_estimate)}</td>
                <td className="num soft">{bytes(figures.size_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </SideSection>
    </div>
  );
}
