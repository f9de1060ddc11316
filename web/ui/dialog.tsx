import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { useFocusBack } from './use-focus-back.ts';

/**
 * Focuses the field marked `data-autofocus` at the moment when the dialog is added to the page. Mantine would focus the
 * field only in a later task, so keys that are pressed directly after the key that opened the dialog would be lost.
 * Pass this function as `ref` of `Modal.Content`.
 */
export function focusMarkedField(dialog: HTMLElement | null): void {
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}

/**
 * Dialog over the page. It keeps the focus within itself, closes with Esc, and then returns the focus to the element
 * that had it before.
 */
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
