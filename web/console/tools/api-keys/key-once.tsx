import type { CreatedApiKey } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import form from '../../forms/form.module.css';

/** Shows a new key. A secret key cannot be shown a second time. */
export function KeyOnce({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) {
  const isSecret = created.kind === 'secret';
  return (
    <Dialog title={created.name} onClose={onClose}>
      <div className={form.form}>
        <p className={form.words}>
          {isSecret
            ? 'Copy the key before you close this dialog. Ninefold stores its hash only and cannot show it later.'
            : 'Pages and clients with the key before are refused within a second. Give them this key.'}
        </p>
        <p className={form.words}>
          <code>{created.key}</code>
        </p>
        <div className="buttons">
          <CopyButton text={created.key} what="the key" word />
          <Button kind="quiet" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
