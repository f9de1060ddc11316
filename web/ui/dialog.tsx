import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { useFocusBack } from './use-focus-back.ts';

/**
 * Focuses the field marked `data-autofocus` of a dialog as soon as the dialog is in the page, so that keys pressed right after the
 * one that opened the dialog reach the field. Mantine does so in a later task. Pass it as `ref` of `Modal.Content`.
 */
export function focusMarkedField(dialog: HTMLElement | null): void {
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true });
}

/** A dialog over the page: holds the focus, closes with Esc, gives the focus back. */
export function Dialog({
  title,
  onClose,
  width = 440,
  children,
}: {
  title: string;
  onClose: () => void;
  /** In px. */
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
