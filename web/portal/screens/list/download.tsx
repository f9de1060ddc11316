import { useMutation } from '@tanstack/react-query';
import type { PortalEntity, PortalField, PortalScreens } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { objectAddress } from '../../../files/object-calls.ts';
import { t } from '../../../language/messages.ts';
import { toSpreadsheetCsv } from '../../../rows/csv.ts';
import { download } from '../../../rows/download.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { pathsOf } from '../../queries/files.ts';
import { type ListQuery, pointedTo } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { allRows } from '../../queries/row-pages.ts';
import { entityIn, type Place, readableFields, useScreens } from '../../queries/screens.ts';
import styles from '../shared/page.module.css';

/** Button that downloads the rows of a list as CSV. It uses the search, the filters, the order and the columns of the list. */
export function Download({
  screen,
  entity,
  query,
  columns,
}: Pick<Place, 'screen' | 'entity'> & { query: ListQuery; columns: readonly string[] }) {
  const portal = usePortal();
  const all = useScreens();
  const fields = readableFields(entity, [...new Set(columns)]);
  const downloading = useMutation({
    mutationFn: async () => {
      saveCsv(all, entity, fields, screen.title, await allRows(portal, all, { entity, columns, query }));
    },
  });
  return (
    <button
      type="button"
      className={styles.word}
      aria-disabled={downloading.isPending || undefined}
      onClick={() => !downloading.isPending && downloading.mutate()}
    >
      {downloading.isPending ? t('downloading') : downloading.error ? t('downloadFailed') : t('downloadCsv')}
    </button>
  );
}

/** Downloads rows as CSV. */
export function saveCsv(
  all: PortalScreens,
  entity: PortalEntity,
  fields: readonly PortalField[],
  title: string,
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => fields.map((field) => cellOf(all, entity, field, row)));
  const text = toSpreadsheetCsv([fields.map(({ label }) => label), ...cells]);
  // Spreadsheets recognize UTF-8 by the byte order mark.
  download(`${title}.csv`, 'text/csv;charset=utf-8', `\ufeff${text}`);
}

/**
 * Returns the text of a cell. A reference is written as the label of its row, files as their addresses; times and numbers
 * are written as they are stored.
 */
function cellOf(all: PortalScreens, entity: PortalEntity, field: PortalField, row: Row): string {
  const value = row[field.name];
  if (value === null || value === undefined) return '';
  const { bucket } = field.files ?? {};
  if (bucket !== undefined) {
    return pathsOf(value)
      .map((path) => objectAddress(`${location.origin}/storage/v1`, bucket, path))
      .join('\n');
  }
  const target = field.reference && entityIn(all, field.reference.entity);
  const pointed = pointedTo(row, field.name);
  if (target && pointed) return rowName(all, target, pointed);
  if (entity.machine?.field === field.name) {
    return entity.machine.states.find((state) => state.value === value)?.label ?? String(value);
  }
  return field.editor === 'enum' || field.editor === 'boolean' || field.editor === 'array' || field.editor === 'json'
    ? textOf(field, value)
    : String(value);
}
