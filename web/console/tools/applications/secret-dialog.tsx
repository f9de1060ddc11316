import { TextInput } from '@mantine/core';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import form from '../../forms/form.module.css';
import type { ApplicationWithSecret } from '../../queries/applications.ts';

/** Shows the id of an application. For a confidential application, also shows its secret, which cannot be shown a second time. */
export function SecretDialog({
  title,
  application: { client_id: id, client_secret: secret },
  onClose,
}: {
  title: string;
  application: ApplicationWithSecret;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={form.form}>
        <TextInput label="Client id" readOnly className={form.secret ?? ''} value={id} />
        {secret === undefined ? (
          <p className={form.words}>A public application has no secret.</p>
        ) : (
          <>
            <TextInput label="Client secret" readOnly className={form.secret ?? ''} value={secret} />
            <p className={form.words}>
              Store the secret where only the application can read it. It is not shown again.
            </p>
          </>
        )}
        <div className="buttons">
          {secret !== undefined && <CopyButton text={secret} what="the client secret" word />}
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
