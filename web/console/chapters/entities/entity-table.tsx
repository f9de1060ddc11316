import type { Entity } from '../../../../contract/specification.ts';
import { LoadingRows, rowClass, Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { bytes, count, counted, entityName } from '../../format/format.ts';
import { CutLine } from '../cut-line.tsx';
import { usePortion } from '../use-portion.ts';
import styles from './entity-table.module.css';

const portion = 200;

/** A row an entity; a press tells it in full in the panel. */
export function EntityTable({
  entities,
  all,
  filter,
  stale,
  selected,
  onSelect,
}: {
  /** Those that the filter lets through; missing while nothing is known. */
  entities: readonly Entity[] | undefined;
  all: number;
  filter: string;
  stale: boolean;
  selected: Entity | null;
  onSelect: (entity: Entity) => void;
}) {
  const { shown, more } = usePortion(entities ?? [], portion, selected ? (entities ?? []).indexOf(selected) : -1);
  return (
    <>
      <Table label="Entities" stale={stale}>
        <thead>
          <tr>
            <th>Entity</th>
            <th className={styles.words}>What it is</th>
            <th className={styles.wide}>Kind</th>
            <th className={styles.wide}>Row-level security</th>
            <th className="num">Fields</th>
            <th className="num">Rows, about</th>
            <th className={`num ${styles.wide}`}>Size</th>
          </tr>
        </thead>
        <tbody>
          {!entities && <LoadingRows rows={7} widths={[90, 160, 40, 50, 20, 50, 40]} />}
          {shown.map((entity) => (
            <tr
              key={entity.id}
              className={rowClass}
              data-selected={entity === selected || undefined}
              onClick={() => onSelect(entity)}
            >
              <td>
                <button type="button" className={styles.name} aria-pressed={entity === selected}>
                  <code>{entityName(entity.schema, entity.name)}</code>
                </button>
              </td>
              <td className={styles.words} title={entity.comment ?? undefined}>
                {entity.comment}
              </td>
              <td className={styles.wide}>{entity.kind}</td>
              <td className={styles.wide}>
                <Security entity={entity} />
              </td>
              <td className="num">{count(entity.fields.length)}</td>
              <td className="num">{entity.figures && entity.kind !== 'view' && count(entity.figures.rows_estimate)}</td>
              <td className={`num soft ${styles.wide}`}>
                {entity.figures && entity.kind !== 'view' && bytes(entity.figures.size_bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {entities && <CutLine shown={shown.length} all={entities.length} what="entities" onMore={more} />}
      {entities && entities.length < all && (
        <p className={styles.hidden}>
          {counted(all - entities.length, 'entity', 'entities')} hidden by the filter “{filter}”.
        </p>
      )}
    </>
  );
}

function Security({ entity: { kind, row_level_security, security, exposed } }: { entity: Entity }) {
  if (kind === 'view' || kind === 'materialized view') {
    return <span className="soft">{security === null ? '–' : `rights of the ${security}`}</span>;
  }
  if (row_level_security) return <Verdict of="always" words="on" />;
  return <Verdict of={exposed ? 'disagrees' : 'never'} words="off" />;
}
