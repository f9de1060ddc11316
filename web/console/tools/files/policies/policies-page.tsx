import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { LoadingRows, Table } from '../../../../ui/table.tsx';
import { Verdict } from '../../../../ui/verdict.tsx';
import { pushClass, Toolbar, Workbench } from '../../../../ui/workbench.tsx';
import { cellKey, type MatrixGroup, matrixOf } from '../../../chapters/roles/matrix.ts';
import { PolicyTable } from '../../../chapters/roles/policy-table.tsx';
import { RoleMatrix } from '../../../chapters/roles/role-matrix.tsx';
import { useChapter } from '../../../chapters/use-chapter.ts';
import { counted } from '../../../format/format.ts';
import { Page } from '../../../layout/page.tsx';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { fileAccess } from '../../../queries/files/usage.ts';
import { applyMigration } from '../../../queries/sql.ts';
import { usePanelSteps } from '../../../shortcuts/use-panel-steps.ts';
import styles from '../files.module.css';
import { FileCellPanel } from './file-cell-panel.tsx';
import { PolicyDialog } from './policy-dialog.tsx';

const phone = window.matchMedia('(max-width: 760px)');
const unprobed = new Map<string, never>();

/** Page with the rights of each role on the files of each bucket, and the policies that decide. */
export function PoliciesPage({
  appRef,
  nav,
  buckets,
  bucket,
}: {
  appRef: string;
  nav: ReactNode;
  buckets: readonly Bucket[];
  /** The bucket that a new policy is about at first. */
  bucket: string | undefined;
}) {
  const { chapter, pending, access, groups, cells, policies } = useAccess(appRef);
  const [chosen, choose] = useState<string | null>(null);
  const selected = cells.find((cell) => cellKey(cell) === chosen) ?? null;
  const down = useMemo(
    () => cells.filter(({ role }) => role === selected?.role).map((cell) => ({ id: cellKey(cell) })),
    [cells, selected],
  );
  const steps = usePanelSteps(down, chosen, choose);
  const [isAdding, setAdding] = useState(false);
  const [undo, setUndo] = useState<string | null>(null);
  const isPublic = buckets.find(({ id }) => id === selected?.entity)?.public ?? false;
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={[{ text: 'Files', link: { to: '/app/$ref/files', params: { ref: appRef } } }, { text: 'Access' }]}
      fetching={pending || access.isLoading}
      panel={chapter && selected && <FileCellPanel {...{ appRef, chapter, cell: selected, isPublic, ...steps }} />}
    >
      <Workbench wideList list={nav}>
        <Toolbar title="Access">
          <span className={pushClass}>
            <Button
              small
              kind="first"
              icon={IconPlus}
              offBecause={buckets.length === 0 ? 'Create a bucket first.' : null}
              onClick={() => setAdding(true)}
            >
              Add policy
            </Button>
          </span>
        </Toolbar>
        <div className={styles.scroll}>
          <Answer appRef={appRef} buckets={buckets.length} policies={policies.length} />
          {undo !== null && <UndoNote appRef={appRef} sql={undo} onClose={() => setUndo(null)} />}
          <p className={styles.legend}>
            <Verdict of="always" /> <Verdict of="when" /> <Verdict of="never" />
          </p>
          <QueryFailure query={access} />
          {chapter && access.data ? (
            groups.length > 0 && (
              <BucketMatrix {...{ chapter, groups, selected }} onSelect={(cell) => choose(cellKey(cell))} />
            )
          ) : access.isError ? null : (
            <Waiting />
          )}
          {policies.length > 0 && (
            <div className={styles.policies}>
              <PolicyTable appRef={appRef} policies={policies} />
            </div>
          )}
        </div>
      </Workbench>
      {isAdding && (
        <PolicyDialog
          {...{ appRef, buckets, bucket }}
          taken={new Set(policies.map(({ name }) => name))}
          onDone={(sql) => {
            setAdding(false);
            setUndo(sql);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}

/** Reads who may do what with the files of each bucket, and the policies on files. */
function useAccess(appRef: string) {
  const { chapter, pending } = useChapter(appRef, 'roles');
  const access = useQuery(fileAccess(appRef));
  const groups = useMemo(() => (chapter ? groupsOf(chapter, access.data ?? []) : []), [chapter, access.data]);
  const cells = useMemo(() => groups.flatMap(({ rows }) => rows.flatMap((row) => row.cells)), [groups]);
  const policies = useMemo(() => chapter?.policies.filter(({ entity }) => isOfFiles(entity)) ?? [], [chapter]);
  return { chapter, pending, access, groups, cells, policies };
}

/** Arranges the cells as a matrix with a group for each bucket. */
const groupsOf = (chapter: RolesChapter, cells: RoleCell[]): MatrixGroup[] =>
  matrixOf({ ...chapter, cells }, []).map((group) => ({ ...group, name: group.entity, argumentTypes: null }));

const isOfFiles = (entity: string): boolean => entity === 'storage.objects' || entity === 'storage.buckets';

const BucketMatrix = ({
  chapter,
  groups,
  selected,
  onSelect,
}: {
  chapter: RolesChapter;
  groups: readonly MatrixGroup[];
  selected: RoleCell | null;
  onSelect: (cell: RoleCell) => void;
}) => (
  <RoleMatrix
    heading="Bucket and operation"
    roles={chapter.roles}
    groups={groups}
    words={!phone.matches}
    narrow={phone.matches}
    probed={unprobed}
    selected={selected}
    onSelect={onSelect}
  />
);

/** One sentence about the number of policies. */
const Answer = ({ appRef, buckets, policies }: { appRef: string; buckets: number; policies: number }) => (
  <p className={styles.answer}>
    {buckets === 0
      ? 'There is no bucket yet, so there is no file to protect. '
      : `${counted(policies, 'policy', 'policies')} on storage.objects and storage.buckets ${policies === 1 ? 'decides' : 'decide'} about ${counted(buckets, 'bucket')}. `}
    <Link to="/app/$ref/roles" params={{ ref: appRef }} className={styles.chapter}>
      Chapter 6
    </Link>
  </p>
);

const Waiting = () => (
  <Table label="Access">
    <tbody>
      <LoadingRows rows={8} widths={[90, 60, 60, 90]} />
    </tbody>
  </Table>
);

/** Confirms that a policy was added, and takes it back. */
function UndoNote({ appRef, sql, onClose }: { appRef: string; sql: string; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(applyMigration(appRef));
  const name = `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}_drop_policy.sql`;
  return (
    <div className={styles.note}>
      <span role="status">The policy is added.</span>
      <Button small busy={isPending && 'Undoing'} onClick={() => mutate({ name, sql }, { onSuccess: onClose })}>
        Undo
      </Button>
      <Button small kind="quiet" onClick={onClose}>
        Dismiss
      </Button>
      {error && <FailureNote facts={failureFacts(error)} />}
    </div>
  );
}
