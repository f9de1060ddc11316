import { useMutation } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import form from '../forms/form.module.css';
import { FormDialog } from '../forms/form-dialog.tsx';
import { needsProof } from '../queries/api-failure.ts';
import { makeRecoveryPhrase } from '../queries/backups.ts';
import styles from './backups.module.css';

const TITLE = 'Make a recovery phrase';

/** Makes a recovery phrase for the backups of the node, then shows the phrase once. */
export function PhraseDialog({ hasPhrase, onClose }: { hasPhrase: boolean; onClose: () => void }) {
  const { mutate, data, isPending, error } = useMutation(makeRecoveryPhrase());
  if (data) return <Phrase phrase={data.phrase} onClose={onClose} />;
  return (
    <FormDialog
      title={TITLE}
      verb={['Make phrase', 'Making phrase']}
      pending={isPending}
      error={needsProof(error) ? null : error}
      focusesVerb
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p className={form.words}>
        Whoever has the phrase and the backups can restore this node on any machine, with all data of all apps. The node
        does not store the phrase.
        {hasPhrase && <b> The earlier phrase becomes invalid.</b>}
      </p>
    </FormDialog>
  );
}

function Phrase({ phrase, onClose }: { phrase: string; onClose: () => void }) {
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <div className={form.form}>
        <p className={form.words}>
          Write the phrase down and store it away from this machine, for example on paper or in a password manager. It
          is <b>not shown again</b>.
        </p>
        <p className={styles.phrase}>{phrase}</p>
        <div className="buttons">
          <CopyButton text={phrase} what="the recovery phrase" word />
          <Button kind="quiet" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
