import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, type FormProps } from './form.tsx';

/** Dialog with a form, and a button that closes it. */
export function FormDialog({
  title,
  width,
  onClose,
  ...form
}: Omit<FormProps, 'aside' | 'className' | 'wide'> & {
  title: string;
  /** Width in px. */
  width?: number;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose} {...(width !== undefined && { width })}>
      <Form
        {...form}
        aside={
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        }
      />
    </Dialog>
  );
}
