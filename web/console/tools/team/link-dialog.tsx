import { TextInput } from '@mantine/core';
import type { BuilderLink } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { dateTime } from '../../format/format.ts';
import form from '../../forms/form.module.css';

/** Shows the link of an invitation once. */
export function LinkDialog({ email, link, onClose }: { email: string; link: BuilderLink; onClose: () => void }) {
  return (
    <Dialog title="Invite builder" onClose={onClose}>
      <div className={form.form}>
        <p className={form.words}>
          Give this link to <b>{email}</b>. It works once, until {dateTime(link.expires_at)}, and is not shown again.
        </p>
        <TextInput label="Link" readOnly className={form.secret ?? ''} value={link.url} />
        <div className="buttons">
          <CopyButton text={link.url} what="the link" word />
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
