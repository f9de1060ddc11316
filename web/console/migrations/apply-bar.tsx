import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { type Binding, caps } from '../../ui/shortcuts/bindings.ts';
import { isMac, useKeys } from '../../ui/shortcuts/keyboard.tsx';
import { milliseconds } from '../format/format.ts';
import { failureFacts } from '../queries/api-failure.ts';
import type { TimedTrial } from '../queries/sql.ts';
import styles from './migrations.module.css';

/** Bar with the buttons that apply or discard the changes of a form. Shows whether the migration succeeded when the server tried it. */
export function ApplyBar({
  summary,
  isChanged,
  problems,
  trial,
  isApplying,
  error,
  onDiscard,
  onApply,
}: {
  summary: string;
  isChanged: boolean;
  problems: readonly string[];
  trial: UseQueryResult<TimedTrial>;
  isApplying: boolean;
  error: Error | null;
  onDiscard: () => void;
  onApply: () => void;
}) {
  const failed = trial.data?.failed ?? null;
  const untried = trial.data?.untried[0];
  const offBecause = !isChanged
    ? 'Nothing is changed.'
    : (problems[0] ??
      (failed ? 'PostgreSQL refuses the migration.' : trial.data ? null : 'The migration is being tried.'));
  useKeys(useApplyKey(offBecause === null && !isApplying, onApply));
  return (
    <section className={styles.bar} aria-label="Changes">
      <p className={styles.what} role="status">
        <b>{summary}.</b>{' '}
        {isChanged && problems.length > 0 ? (
          <span className={styles.wrong}>{problems[0]}</span>
        ) : failed ? (
          <span className={styles.wrong}>{failed.details.message}</span>
        ) : trial.error ? (
          <span className={styles.wrong}>{failureFacts(trial.error).message}</span>
        ) : (
          isChanged && (
            <span className="soft">
              {untried
                ? `Not tried: ${untried.reason}.`
                : trial.data
                  ? `Tried in a transaction: no error, ${milliseconds(trial.data.milliseconds)}.`
                  : 'Trying in a transaction …'}
            </span>
          )
        )}
      </p>
      {error && <FailureNote facts={failureFacts(error)} />}
      <div className={styles.buttons}>
        <Button kind="quiet" onClick={onDiscard}>
          Discard
        </Button>
        <Button kind="first" busy={isApplying && 'Applying'} offBecause={offBecause} onClick={onApply}>
          Apply <Kbd keys={caps('mod+enter', isMac)} />
        </Button>
      </div>
    </section>
  );
}

/** Binds Ctrl Enter to `apply` while the changes can be applied. */
function useApplyKey(canApply: boolean, apply: () => void): readonly Binding[] {
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  return useMemo(
    () =>
      canApply
        ? [{ keys: 'mod+enter', group: 'Form', does: 'Apply', run: () => latest.current(), inFields: true }]
        : [],
    [canApply],
  );
}

/** Asks for a confirmation before unsaved changes are lost. */
export const LeaveDialog = ({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) => (
  <Dialog title="Leave without applying?" onClose={onStay}>
    <p>Your changes will be lost.</p>
    <div className={styles.buttons}>
      <Button kind="danger" onClick={onLeave}>
        Leave
      </Button>
      <Button kind="quiet" data-autofocus onClick={onStay}>
        Stay
      </Button>
    </div>
  </Dialog>
);
