import { useQuery } from '@tanstack/react-query';
import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import type { useMigrationPage } from '../../../migrations/migration-page.tsx';
import { MigrationPreview, refusedBecause } from '../../../migrations/migration-preview.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { migrationTrial } from '../../../queries/sql.ts';
import { definitionsSql } from './definitions-sql.ts';
import { definitionsWithout, type Edited } from './draft.ts';
import styles from './editor.module.css';

/** Asks before the definition of a screen or page is deleted. */
export function DeleteDialog({
  appRef,
  edited,
  chapter,
  entities,
  page: { apply, run },
  onDeleted,
  onClose,
}: {
  appRef: string;
  edited: Edited;
  chapter: ScreensChapter;
  entities: readonly Entity[];
  page: ReturnType<typeof useMigrationPage>;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { start, before } = edited;
  const after = definitionsWithout(edited);
  const sql = definitionsSql(before, after, entities);
  const trial = useQuery(migrationTrial(appRef, sql));
  if (!start) return null;
  const replaces = chapter.screens.some(
    ({ route, origin }) => route === start.route && origin === 'defined in place of a derived one',
  );
  const inMenus = before.menus.filter(({ groups }) => groups.some(({ routes }) => routes.includes(start.route)));
  return (
    <Dialog title={`Delete ${start.title}?`} onClose={onClose}>
      <p>
        {replaces
          ? `The screen that follows from the table returns at ${start.route}.`
          : `Links to ${start.route} then lead to a page that says so.`}{' '}
        {inMenus.length > 0 && !replaces && 'Menus leave out its entry. '}
        No row changes.
      </p>
      <MigrationPreview sql={sql} undo={definitionsSql(after, before, entities)} trial={trial} />
      {apply.error && <FailureNote facts={failureFacts(apply.error)} />}
      <div className={styles.buttons}>
        <Button
          kind="danger"
          busy={apply.isPending && 'Deleting'}
          offBecause={refusedBecause(trial)}
          onClick={() => run({ name: fileName(`drop ${start.type} ${start.route}`, new Date()), sql }, onDeleted)}
        >
          Delete {start.type}
        </Button>
        <Button kind="quiet" data-autofocus onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
