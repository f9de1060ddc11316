import { IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { Button } from '../../../../ui/button.tsx';
import { Panel, type PanelSteps, VerdictLine } from '../../../../ui/panel.tsx';
import { code } from '../../../../ui/recovery/code.ts';
import { Tabs } from '../../../../ui/tabs.tsx';
import { isState, StateName } from '../../../chapters/states/state-name.tsx';
import { entityName } from '../../../format/format.ts';
import { labelField } from '../../../queries/rows/labels.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { isCode, kindOf } from '../../../values/field-kind.ts';
import { pathsOfValue } from '../../../values/file-paths.ts';
import { fullText } from '../../../values/show-value.ts';
import { CellEditor } from '../editor/cell-editor.tsx';
import { referencesTo } from '../references.ts';
import { Null } from '../value.tsx';
import { ReferencingRows } from './referencing-rows.tsx';
import { RowAccess } from './row-access.tsx';
import { RowHistory } from './row-history.tsx';
import styles from './row-panel.module.css';
import { RowState } from './row-state.tsx';

const FileGallery = lazy(
  code(() => import('../../../../files/file-gallery.tsx').then(({ FileGallery: gallery }) => ({ default: gallery }))),
);

interface RowPanelProps {
  table: Table;
  entities: readonly Entity[];
  row: Row;
  rowKey: readonly string[];
  /** Returns the label of the row that a field references. */
  labels: (field: string, value: string) => string | undefined;
  /** State machines of the entity by field. */
  machines: ReadonlyMap<string, Machine>;
  readOnlyBecause: (field: Field) => string | null;
  /** Opens a new row with the values of this one. */
  onDuplicate: { run: () => void; offBecause: string | null };
  onDelete: { run: () => void; offBecause: string | null };
}

/** Panel of a row: every field, links to referenced rows, and the rows that reference it. */
export function RowPanel({ onDuplicate, onDelete, onClose, onPrevious, onNext, ...shown }: RowPanelProps & PanelSteps) {
  const { table, entities, row, rowKey, machines } = shown;
  const { entity } = table;
  const title = labelField(entity);
  const called = title === null ? null : row[title];
  return (
    <Panel
      label={`Row ${rowKey.join(', ')}`}
      title={<code>{rowKey.join(', ')}</code>}
      {...{ onPrevious, onNext, onClose }}
    >
      {called && <VerdictLine>{called}</VerdictLine>}
      {[...machines.values()].map((machine) => (
        <RowState key={`${machine.id} ${rowKey.join()}`} {...{ table, entities, machine, row, rowKey }} />
      ))}
      <div className={styles.tabs}>
        <Tabs
          label="Parts of the row"
          tabs={[
            { name: 'Fields', content: <Fields {...shown} /> },
            { name: 'Access', content: <RowAccess key={rowKey.join()} {...{ table, entities, row, rowKey }} /> },
            { name: 'History', content: <RowHistory {...{ table, machines, rowKey }} /> },
            {
              name: 'Related',
              content: <ReferencingRows table={table} pointers={referencesTo(entity, row, entities)} />,
            },
          ]}
        />
      </div>
      <div className={styles.foot}>
        <Button small offBecause={onDuplicate.offBecause} onClick={onDuplicate.run}>
          Duplicate
        </Button>
        <Button small kind="danger" offBecause={onDelete.offBecause} onClick={onDelete.run}>
          Delete
        </Button>
      </div>
    </Panel>
  );
}

/** The fields of a row. One of them is edited at a time. */
function Fields({
  table,
  entities,
  row,
  rowKey,
  labels,
  machines,
  readOnlyBecause,
}: Omit<RowPanelProps, 'onDelete' | 'onDuplicate'>) {
  const [editing, setEditing] = useState<string | null>(null);
  return (
    <dl>
      {table.entity.fields.map((field) => (
        <div key={field.name} className={styles.pair}>
          <dt className="cut" title={field.comment ?? field.name}>
            {field.name}
          </dt>
          {editing === field.name ? (
            <dd className={styles.editing}>
              <CellEditor
                key={rowKey.join()}
                {...{ table, entities, field, row, rowKey }}
                label={labels(field.name, row[field.name] ?? '')}
                machine={machines.get(field.name)}
                cellWidth={null}
                onClose={() => setEditing(null)}
              />
            </dd>
          ) : (
            <dd className={styles.value}>
              <PanelValue
                table={table}
                field={field}
                value={row[field.name] ?? null}
                entities={entities}
                label={labels(field.name, row[field.name] ?? '')}
                machine={machines.get(field.name)}
              />
              {readOnlyBecause(field) === null && (
                <span className={styles.edit}>
                  <Button
                    small
                    square
                    kind="quiet"
                    icon={IconPencil}
                    label={`Edit ${field.name}`}
                    onClick={() => setEditing(field.name)}
                  />
                </span>
              )}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function PanelValue({
  table,
  field,
  value,
  entities,
  label,
  machine,
}: {
  table: Table;
  field: Field;
  value: string | null;
  entities: readonly Entity[];
  label: string | undefined;
  machine: Machine | undefined;
}) {
  if (value === null) return <Null />;
  const { references: to } = field;
  const target = to && entities.find(({ schema, name }) => schema === to.schema && name === to.entity);
  if (to && target) {
    return (
      <Link
        to="/app/$ref/data"
        params={{ ref: table.ref }}
        search={{
          table: target.id,
          where: [{ field: to.field, operator: 'eq', value }],
          ...(table.requestRole !== 'service' && { as: table.requestRole }),
        }}
        title={`${entityName(to.schema, to.entity)}.${to.field} ${value}`}
      >
        {label ?? value}
      </Link>
    );
  }
  if (machine && isState(machine, value)) return <StateName machine={machine} name={value} />;
  if (field.files) {
    return (
      <Suspense>
        <FileGallery files={field.files} paths={pathsOfValue(field.files, value)} />
      </Suspense>
    );
  }
  const kind = kindOf(field);
  if (value === '') return <span className="soft">empty</span>;
  const text = fullText(value, kind);
  return isCode(kind) ? <code className={styles.code}>{text}</code> : <span className={styles.text}>{text}</span>;
}
