import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { useFocusBack } from './use-focus-back.ts';

/**
 * Focuses the field marked `data-autofocus` when the dialog is added to the page. Keys pressed directly after the one
 * that opened the dialog then reach the field. Mantine focuses it in a later task. Pass this function as `ref` of
 * `Modal.Content`.
 */
export function focusMarkedField(dialog: HTMLElement | null): void {
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}

/** Dialog over the page: contains the focus, closes with Esc, and returns the focus. */
export function Dialog({
  title,
  onClose,
  width = 440,
  children,
}: {
  title: string;
  onClose: () => void;
  /** Width in px. */
  width?: number;
  children: ReactNode;
}) {
  useFocusBack();
  return (
    <Modal.Root opened onClose={onClose} size={width}>
      <Modal.Overlay />
      <Modal.Content ref={focusMarkedField}>
        <div className={styles.head}>
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
