import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { focusMarkedField } from './focus-marked-field.ts';
import { useFocusBack } from './use-focus-back.ts';

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
