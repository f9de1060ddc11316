import { IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import styles from './modal.module.css';

/**
 * Dialog over the page. The browser keeps the focus within it, closes it with Esc, and then returns the focus to the
 * element that had it before.
 */
export function Modal({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.modal}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.body}>
        <div className={styles.head}>
          <h2>{title}</h2>
          <button type="button" className={styles.close} aria-label={t('close')} onClick={onClose}>
            <Icon of={IconX} />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
