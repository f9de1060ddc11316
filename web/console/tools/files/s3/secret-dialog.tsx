import type { CreatedS3Key } from '../../../../../contract/files.ts';
import { Button } from '../../../../ui/button.tsx';
import { CopiedCode } from '../../../../ui/copy-button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { KeyValues } from '../../../../ui/panel.tsx';
import form from '../../../forms/form.module.css';

/** Shows a new access key with its secret, which cannot be shown a second time. */
export const SecretDialog = ({
  created: { id, name, secret },
  onClose,
}: {
  created: CreatedS3Key;
  onClose: () => void;
}) => (
  <Dialog title={name} width={560} onClose={onClose}>
    <div className={form.form}>
      <p className={form.words}>
        Copy the secret before you close this dialog. Ninefold does not store it and cannot show it later.
      </p>
      <KeyValues
        pairs={[
          ['Access key id', <CopiedCode key="id" text={id} what="the access key id" />],
          ['Secret', <CopiedCode key="secret" text={secret} what="the secret" />],
        ]}
      />
      <div className="buttons">
        <Button kind="quiet" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  </Dialog>
);
