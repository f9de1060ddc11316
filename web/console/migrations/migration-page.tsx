import { useMutation, useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import type { MigrationTrialRequest } from '../../../contract/changes.ts';
import type { Entity } from '../../../contract/specification-entities.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../layout/page.tsx';
import { applyMigration, migrationTrial } from '../queries/sql.ts';
import { ApplyBar, LeaveDialog } from './apply-bar.tsx';
import { EffectPanel, type WrittenMigration } from './effect-panel.tsx';
import styles from './migrations.module.css';

/** A phone has no room for a panel beside the form. */
export const isPhone = window.matchMedia('(max-width: 760px)').matches;

/** The migration that a form writes, before it is edited by hand. */
export interface FormMigration extends Pick<WrittenMigration, 'name' | 'undo' | 'problems' | 'isEarly'> {
  readonly sql: string;
  readonly isChanged: boolean;
  /** The changes in words. */
  readonly summary: string;
}

/**
 * Returns the state of a page whose form writes a migration: the migration or the text that replaces it, the trial of the
 * server, and the function that applies it.
 * @param onLeave Opens the page that follows, after the migration was applied.
 * @param screensAs The caller whose screens the trial returns, for a preview; null without one.
 */
export function useMigrationPage(
  appRef: string,
  form: FormMigration,
  onLeave: () => void,
  screensAs: MigrationTrialRequest['screens_as'] | null = null,
) {
  // The migration as the builder edited it by hand; null while it is the form's.
  const [edited, setEdited] = useState<string | null>(null);
  const isEdited = edited !== null;
  const sql = edited?.trim() ?? form.sql;
  const problems = isEdited ? (sql === '' ? ['The migration is empty.'] : []) : form.problems;
  const trial = useQuery(migrationTrial(appRef, problems.length === 0 ? sql : '', screensAs));
  const apply = useMutation(applyMigration(appRef));
  const hasLeft = useRef(false);
  const leave = (then: () => void = onLeave) => {
    hasLeft.current = true;
    then();
  };
  return {
    ...{ isEdited, sql, problems, trial, apply, hasLeft, leave },
    written: { ...form, sql: edited ?? form.sql, isEdited, problems } satisfies WrittenMigration,
    isChanged: isEdited || form.isChanged,
    summary: isEdited ? 'Migration edited by hand' : form.summary,
    edit: setEdited,
    /** Applies a migration, by default that of the form. */
    run: (given: { name: string; sql: string } = { name: form.name, sql }, then?: () => void) =>
      apply.mutate(given, { onSuccess: () => leave(then) }),
  };
}

/** Page with a form that writes a migration: what will change stands beside it, and the bar below applies it. */
export function MigrationPage({
  appRef,
  crumbs,
  entities,
  opening,
  page,
  onDiscard,
  children,
}: {
  appRef: string;
  crumbs: ComponentProps<typeof Page>['crumbs'];
  entities: readonly Entity[];
  /** Title of the page, and buttons beside it. */
  opening: ReactNode;
  page: ReturnType<typeof useMigrationPage>;
  onDiscard: () => void;
  children: ReactNode;
}) {
  const { trial, isEdited } = page;
  const effect = <EffectPanel {...effectProps(page)} {...{ appRef, entities }} />;
  return (
    <Page appRef={appRef} crumbs={crumbs} fetching={trial.isFetching} bare panel={isPhone ? undefined : effect}>
      <div className={styles.page}>
        <div className={styles.scroll}>
          <div className={styles.inner}>
            <div className={styles.opening}>{opening}</div>
            {isEdited && <EditedNote onDiscard={() => page.edit(null)} />}
            <div className={styles.form} inert={isEdited}>
              {children}
            </div>
            {isPhone && effect}
          </div>
        </div>
        <MigrationBar page={page} onDiscard={onDiscard} />
      </div>
    </Page>
  );
}

/** Returns the properties of the panel or the tabs with the effect of a page's migration. */
export const effectProps = ({ written, trial, apply, edit, run }: ReturnType<typeof useMigrationPage>) => ({
  ...{ written, trial },
  onEdit: edit,
  onApply: () => trial.data?.failed === null && !apply.isPending && run(),
});

/** The bar that applies or discards the changes of a page. Asks before the page is left with changes. */
export function MigrationBar({
  page: { summary, isChanged, problems, trial, apply, hasLeft, leave, run },
  onDiscard,
}: {
  page: ReturnType<typeof useMigrationPage>;
  onDiscard: () => void;
}) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && !hasLeft.current && formOf(current) !== formOf(next),
    enableBeforeUnload: () => isChanged && !hasLeft.current,
    withResolver: true,
  });
  return (
    <>
      <ApplyBar
        {...{ summary, isChanged, problems, trial }}
        isApplying={apply.isPending}
        error={apply.error}
        onDiscard={() => leave(onDiscard)}
        onApply={() => run()}
      />
      {leaving.status === 'blocked' && <LeaveDialog onLeave={leaving.proceed} onStay={leaving.reset} />}
    </>
  );
}

/** Returns what an address says about the form. The caller of a preview changes no form. */
const formOf = ({ pathname, search }: { pathname: string; search: object }): string => {
  const { as: _, member: __, ...form }: Record<string, unknown> = { ...search };
  return `${pathname} ${JSON.stringify(form)}`;
};

/** Says that the form is off because the migration was edited, and offers to return to the form. */
export const EditedNote = ({ onDiscard }: { onDiscard: () => void }) => (
  <p className={styles.edited} role="status">
    You edited the migration by hand, so the form is off.
    <Button small onClick={onDiscard}>
      Discard the text and use the form
    </Button>
  </p>
);
