import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AdviceEntry } from '../../../../contract/specification-roles.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { listed, shortId } from '../../format/format.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { SqlLink } from '../../layout/sql-link.tsx';
import { applySql } from '../../queries/sql.ts';
import styles from './roles.module.css';

const comes: Readonly<Record<AdviceEntry['severity'], string>> = {
  security: 'too much access',
  performance: 'calls take longer than they need',
  fault: 'calls fail',
  unused: 'no effect',
};

/** Panel of one advice with its SQL fix, which the builder can copy, open in the editor, or run at once. */
export function AdvicePanel({
  appRef,
  advice,
  ...steps
}: {
  appRef: string;
  advice: AdviceEntry;
} & PanelSteps) {
  const { about, severity, on, policies, words, sql } = advice;
  const [asking, setAsking] = useState(false);
  return (
    <Panel
      label={`${about}: ${on}`}
      title={
        <>
          <span className="soft">{about}:</span> <code>{shortId(on)}</code>
        </>
      }
      {...steps}
    >
      <VerdictLine>{words}</VerdictLine>
      <PanelSection title="Effect">
        <KeyValues
          pairs={[
            ['Severity', comes[severity]],
            ['Object', <code key="on">{on}</code>],
            policies.length > 0 && ['Policies', listed(policies)],
          ]}
        />
      </PanelSection>
      <PanelSection title="Fix">
        <Code code={sql} language="sql" label="the SQL fix" />
        <div className={styles.buttons}>
          <Button small onClick={() => setAsking(true)}>
            Apply
          </Button>
          <SqlLink appRef={appRef} sql={sql} />
        </div>
      </PanelSection>
      {asking && <Confirm appRef={appRef} advice={advice} onClose={() => setAsking(false)} onDone={steps.onClose} />}
    </Panel>
  );
}

/** Asks for a confirmation, then runs the SQL as the app's owner in one transaction. */
function Confirm({
  appRef,
  advice: { on, sql },
  onClose,
  onDone,
}: {
  appRef: string;
  advice: AdviceEntry;
  onClose: () => void;
  onDone: () => void;
}) {
  const { mutate, isPending, error } = useMutation(applySql(appRef));
  return (
    <FormDialog
      title={`Change ${shortId(on)}?`}
      width={640}
      verb={['Apply', 'Applying']}
      focusesVerb
      pending={isPending}
      error={error}
      onSubmit={() =>
        mutate(sql, {
          onSuccess: () => {
            onClose();
            onDone();
          },
        })
      }
      onClose={onClose}
    >
      <p>
        This runs in <b>{appRef}</b> as its owner, in one transaction. To keep the fix with the code, save it as a
        migration instead.
      </p>
      <Code code={sql} language="sql" label="the SQL that will run" />
    </FormDialog>
  );
}
