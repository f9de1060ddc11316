import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './ask-dialog.module.css';

/** Question over the page, which stays as it is. On a phone it is at the lower edge. The element with `data-autofocus` gets the focus. */
export function AskDialog({
  title,
  lead,
  onClose,
  children,
}: {
  title: string;
  lead: ReactNode;
  /** Called when the member presses Esc. Without it, the dialog stays until the member answers. */
  onClose?: () => void;
  children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Closing returns the focus to the element that had it before, as long as the dialog is part of the page.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // Single keys of the page behind the dialog do nothing.
        event.stopPropagation();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id}>{title}</h2>
      <p className={styles.lead}>{lead}</p>
      <div className={styles.content}>{children}</div>
    </dialog>
  );
}

export const askButtonsClass = styles.buttons ?? '';
