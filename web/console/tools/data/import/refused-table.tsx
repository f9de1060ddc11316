import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Rule } from '../../../../../contract/specification.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { toCsv } from '../../../../rows/csv.ts';
import { download } from '../../../../rows/download.ts';
import { Button } from '../../../../ui/button.tsx';
import { TableHead } from '../../../../ui/table.tsx';
import { useChapter } from '../../../chapters/use-chapter.ts';
import { counted } from '../../../format/format.ts';
import type { RefusedRow } from '../../../queries/rows/import-rows.ts';
import { knownLabels } from '../../../queries/rows/known-labels.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { targetOf, timeKind } from '../editor/editor-kind.ts';
import { shownText } from '../editor/typed-value.ts';
import type { ReferenceLabels } from './convert-rows.ts';
import { type Fix, type ReferenceKeys, refusalOf, refusedGroups, unknownReferences } from './fixes.ts';
import styles from './import-page.module.css';
import { RefusedLine } from './refused-line.tsx';

/** Number of refused rows that are listed. */
const max = 100;

interface RefusedTableProps {
  table: Table;
  entities: readonly Entity[];
  refused: readonly RefusedRow[];
  columns: readonly string[];
  labels: ReferenceLabels;
  busy: boolean;
  onFix: (fix: Fix, group: readonly RefusedRow[]) => void;
  /** Checks a row with other texts. */
  onEdit: (one: RefusedRow, texts: Row) => void;
}

/** Lists the rows of a file that violate a rule, with their line and the rule in its own words. Each row can be edited. */
export function RefusedTable({ table, entities, refused, columns, labels, busy, onFix, onEdit }: RefusedTableProps) {
  const { entity } = table;
  const { chapter } = useChapter(table.ref, 'rules');
  const rules = chapter?.rules.filter((rule) => rule.entity === entity.id) ?? [];
  const references = useReferences(table, entities, refused, rules);
  const [edited, setEdited] = useState<number | null>(null);
  const [now] = useState(() => new Date());
  /** Returns the text of a value: the label of a referenced row instead of its key. */
  const textOf = ({ row }: RefusedRow, name: string): string | null => {
    const value = row.values[name] ?? null;
    if (value === null) return null;
    const known = references.get(name);
    const label = labels.get(name)?.get(value) ?? [...(known ?? [])].find(([, key]) => key === value)?.[0];
    const field = entity.fields.find((one) => one.name === name);
    return label ?? (field && timeKind(field) ? shownText(field, value, now) : value);
  };
  const save = () =>
    download(
      `${entity.name}-refused.csv`,
      'text/csv',
      toCsv({
        columns: [{ name: 'line' }, ...columns.map((name) => ({ name })), { name: 'reason' }],
        rows: refused.map((one) => [
          String(one.row.line),
          ...columns.map((name) => textOf(one, name)),
          refusalOf(entity, one, rules).words,
        ]),
      }),
    );
  return (
    <>
      <div className={styles.head}>
        <b>{counted(refused.length, 'row violates', 'rows violate')} a rule</b>
        <span className="soft">checked by PostgreSQL in transactions that were rolled back</span>
        <Button small kind="quiet" onClick={save}>
          Download {counted(refused.length, 'row')}
        </Button>
      </div>
      <Fixes groups={refusedGroups(entity, refused, rules, references)} busy={busy} onFix={onFix} />
      <div className={styles.scroll}>
        <table className={styles.table} aria-label="Rows that violate a rule">
          <TableHead names={['Line', ...columns, 'Rule']} figures={['Line']} bare="Change" />
          <tbody>
            {refused.slice(0, max).map((one) => (
              <RefusedLine
                key={one.row.line}
                appRef={table.ref}
                line={one.row.line}
                refusal={refusalOf(entity, one, rules)}
                texts={columns.map((name) => [name, textOf(one, name)] as const)}
                busy={busy}
                isEdited={edited === one.row.line}
                onOpen={() => setEdited(one.row.line)}
                onClose={() => setEdited(null)}
                onSave={(texts) => {
                  setEdited(null);
                  onEdit(one, texts);
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      {refused.length > max && (
        <p className="soft">
          {max} of {counted(refused.length, 'row')} shown.
        </p>
      )}
    </>
  );
}

/** Lists the kinds of violations, with buttons that change all rows of a kind. */
function Fixes({
  groups,
  busy,
  onFix,
}: Pick<RefusedTableProps, 'busy' | 'onFix'> & { groups: ReturnType<typeof refusedGroups> }) {
  return (
    <ul className={styles.fixes} aria-label="Fixes">
      {groups.map(({ key, words, rows, fixes }) => (
        <li key={key}>
          <span>
            {words} <span className="soft">{counted(rows.length, 'row')}</span>
          </span>
          <span className="buttons">
            {fixes.map((fix, place) => (
              <Button
                key={fix.label}
                small
                kind={place > 0 && place === fixes.length - 1 ? 'quiet' : 'usual'}
                offBecause={busy ? 'The rows are being checked.' : null}
                onClick={() => onFix(fix, rows)}
              >
                {fix.label}
              </Button>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Reads the rows that the refused references may mean, by field and label. */
function useReferences(
  table: Table,
  entities: readonly Entity[],
  refused: readonly RefusedRow[],
  rules: readonly Rule[],
): ReferenceKeys {
  const asked = [...unknownReferences(table.entity, refused, rules)].flatMap(([name, texts]) => {
    const field = table.entity.fields.find((one) => one.name === name);
    const target = field && targetOf(field, entities);
    return target && field.references ? [{ name, target, key: field.references.field, texts }] : [];
  });
  const found = useQueries({
    queries: asked.map(({ target, key, texts }) => knownLabels({ ...table, entity: target }, key, texts)),
  });
  return new Map(asked.map(({ name }, place) => [name, found[place]?.data ?? new Map()]));
}
