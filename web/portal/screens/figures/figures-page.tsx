import { useQuery } from '@tanstack/react-query';
import type { PortalField } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { t } from '../../../language/messages.ts';
import { FieldValue } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { followedSeldom } from '../../queries/live.ts';
import type { Row } from '../../queries/rest.ts';
import { figureRows, SHOWN_ROWS } from '../../queries/rows.ts';
import { type Place, readableFields, useScreens } from '../../queries/screens.ts';
import { Actions } from '../shared/actions.tsx';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { Shell } from '../shell/shell.tsx';
import { figureScales, isFigure } from './figure-scales.ts';
import styles from './figures-page.module.css';

/** Shows a single row as figures, or several rows as a chart of each numeric field. */
export function FiguresPage({ screen, entity }: Place) {
  const portal = usePortal();
  const all = useScreens();
  const { data, error } = useQuery({ ...figureRows(portal, all, entity, screen), ...followedSeldom });
  const rows = data?.rows ?? [];
  const fields = readableFields(entity, screen.columns);
  const [only] = rows;
  return (
    <Shell title={screen.title} isFollowed={!error}>
      <div className={pageStyles.titlebar}>
        <div>
          <h1 className={pageStyles.title}>{screen.title}</h1>
          {entity.help !== null && (
            <p className={pageStyles.answer}>
              <bdi>{entity.help}</bdi>
            </p>
          )}
        </div>
      </div>
      <Actions actions={screen.actions} />
      <Trouble error={error} />
      {data && rows.length === 0 && <p className={pageStyles.soft}>{t('figuresNone')}</p>}
      {rows.length === 1 && only && (
        <dl className={styles.figures}>
          {fields.map((field) => (
            <div key={field.name}>
              <dt>{field.label}</dt>
              <dd>
                <FieldValue entity={entity} field={field} row={only} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {rows.length > 1 && <Series entity={entity} fields={fields} rows={rows} label={screen.title} />}
      {rows.length === SHOWN_ROWS && <p className={pageStyles.foot}>{t('figuresFirst', { count: SHOWN_ROWS })}</p>}
    </Shell>
  );
}

/** Table with a bar for each number. The greatest value of a unit has the longest bar. */
function Series({
  entity,
  fields,
  rows,
  label,
}: Pick<Place, 'entity'> & { fields: readonly PortalField[]; rows: readonly Row[]; label: string }) {
  const scales = figureScales(fields, rows);
  return (
    <table className={styles.series} aria-label={label}>
      <thead>
        <tr>
          {fields.map((field) => (
            <th key={field.name}>{field.label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Rows of a view may have no key.
          <tr key={i}>
            {fields.map((field) => {
              const value = Number(row[field.name]) || 0;
              const share = Math.abs(value) / (scales.get(field.name) || 1);
              return isFigure(field) ? (
                <td key={field.name} className={styles.figure}>
                  <span
                    className={styles.bar}
                    data-negative={value < 0 || undefined}
                    style={{ width: `${share * 60}%` }}
                  />
                  {textOf(field, row[field.name])}
                </td>
              ) : (
                <td key={field.name}>
                  <FieldValue entity={entity} field={field} row={row} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
