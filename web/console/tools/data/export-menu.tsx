import { Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Field } from '../../../../contract/specification-entities.ts';
import { objectAddress } from '../../../files/object-calls.ts';
import { toCsv } from '../../../rows/csv.ts';
import { download } from '../../../rows/download.ts';
import { Button } from '../../../ui/button.tsx';
import { count, counted } from '../../format/format.ts';
import { connection } from '../../queries/apps.ts';
import type { Row } from '../../queries/rows/row.ts';
import { allRows, MAX_EXPORTED } from '../../queries/rows/row-pages.ts';
import { pathsOfValue } from '../../values/file-paths.ts';
import { toJson } from '../sql/results/export.ts';
import type { TableSheet } from './use-table-sheet.ts';

const formats = {
  CSV: { ending: 'csv', type: 'text/csv', write: toCsv },
  JSON: { ending: 'json', type: 'application/json', write: toJson },
} as const;
type Format = keyof typeof formats;

/** Saves the rows that the sheet shows, or all rows that match its filters, with the shown fields. */
export function ExportMenu({ sheet }: { sheet: TableSheet }) {
  const { table, entity, asked, sort, fields, rows, pages, query } = sheet;
  const { data: app } = useQuery(connection(table.ref));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ format, all }: { format: Format; all: boolean }) =>
      save(entity.name, format, fields, all ? await allRows(table, asked, sort) : rows, app?.url ?? null),
  });
  const total = pages[0]?.total ?? null;
  const isExact = pages[0]?.exact ?? false;
  const shown = query.hasNextPage ? `${counted(rows.length, 'row')} shown` : counted(rows.length, 'row');
  const all =
    total !== null && total > MAX_EXPORTED
      ? `the first ${count(MAX_EXPORTED)} rows`
      : `all${total === null ? '' : ` ${isExact ? '' : 'about '}${count(total)}`} rows`;
  const item = (format: Format, words: string, isAll: boolean) => (
    <Menu.Item key={`${format} ${words}`} onClick={() => mutate({ format, all: isAll })}>
      {format}, {words}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          small
          kind="quiet"
          icon={IconDownload}
          busy={isPending && 'Exporting'}
          offBecause={rows.length === 0 ? 'There is no row to export.' : null}
        >
          {error ? 'Export failed' : 'Export'}
        </Button>
      </Menu.Target>
      {rows.length > 0 && (
        <Menu.Dropdown>
          {(['CSV', 'JSON'] as const).flatMap((format) => [
            item(format, shown, false),
            ...(query.hasNextPage ? [item(format, all, true)] : []),
          ])}
        </Menu.Dropdown>
      )}
    </Menu>
  );
}

/** @param url The URL of the app, with which a CSV names files by their addresses. */
function save(name: string, format: Format, fields: readonly Field[], rows: readonly Row[], url: string | null): void {
  const { ending, type, write } = formats[format];
  const columns = fields.map((field) => ({ name: field.name, type: field.base_type ?? field.type }));
  const values = rows.map((row) =>
    fields.map((field) => exported(field, row[field.name] ?? null, format === 'CSV' ? url : null)),
  );
  download(`${name}.${ending}`, type, write({ columns, rows: values }));
}

/** Returns a value as a file contains it: the paths of files become addresses, one a line. */
function exported({ files }: Field, value: string | null, url: string | null): string | null {
  if (!files || value === null || url === null) return value;
  const addresses = pathsOfValue(files, value).map((path) => objectAddress(`${url}/storage/v1`, files.bucket, path));
  return addresses.join('\n');
}
