import { IconDownload, IconPencil } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { Entity } from '../../../contract/specification-entities.ts';
import { download } from '../../rows/download.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { code } from '../../ui/recovery/code.ts';
import { caps } from '../../ui/shortcuts/bindings.ts';
import { isMac } from '../../ui/shortcuts/keyboard.tsx';
import { entityName } from '../format/format.ts';
import { SqlLink } from '../layout/sql-link.tsx';
import type { TimedTrial } from '../queries/sql.ts';
import { markedErrorAt } from '../tools/sql/editor/position.ts';
import styles from './migrations.module.css';

const editorCode = code(() => import('../tools/sql/editor/sql-editor.tsx'));
const SqlEditor = lazy(async () => ({ default: (await editorCode()).SqlEditor }));

/** Shows the migration of the form, which can be edited by hand before it is applied. */
export function MigrationTab({
  appRef,
  entities,
  sql,
  name,
  isEdited,
  canEdit,
  trial,
  onEdit,
  onApply,
}: {
  appRef: string;
  entities: readonly Entity[];
  sql: string;
  /** Name of the file. */
  name: string;
  isEdited: boolean;
  /** False while the form has no valid migration. */
  canEdit: boolean;
  trial: UseQueryResult<TimedTrial>;
  onEdit: (sql: string | null) => void;
  onApply: () => void;
}) {
  const failure = trial.data?.failed?.details;
  const error = useMemo(() => {
    if (!failure || !isEdited) return null;
    const tables = entities.map(({ schema, name: table }) => entityName(schema, table));
    // The trial leaves out the blanks before the migration.
    const offset = sql.length - sql.trimStart().length;
    const keys = caps('alt+enter', isMac)[0] ?? '';
    return markedErrorAt(failure, { text: sql, offset, tables, requestId: null, keys });
  }, [failure, isEdited, sql, entities]);
  if (sql === '' && !isEdited) return <p className={styles.note}>Change something to see the migration.</p>;
  return (
    <div className={styles.migration}>
      <p className={styles.note}>
        Becomes a version of the specification when you apply it. Add the file to your project’s migrations.
      </p>
      {isEdited ? (
        <div className={styles.editor}>
          <Suspense fallback={<pre className={styles.waiting}>{sql}</pre>}>
            <SqlEditor initial={sql} entities={entities} error={error} onChange={onEdit} onRun={onApply} />
          </Suspense>
        </div>
      ) : (
        <Code code={sql} language="sql" label="the migration" />
      )}
      <div className={styles.buttons}>
        {isEdited ? (
          <Button small onClick={() => onEdit(null)}>
            Discard the text
          </Button>
        ) : (
          <Button
            small
            icon={IconPencil}
            offBecause={canEdit ? null : 'Complete the form first.'}
            onClick={() => onEdit(sql)}
          >
            Edit by hand
          </Button>
        )}
        <Button small icon={IconDownload} onClick={() => download(name, 'application/sql', `${sql}\n`)}>
          Download
        </Button>
        <SqlLink appRef={appRef} sql={sql} />
      </div>
    </div>
  );
}
