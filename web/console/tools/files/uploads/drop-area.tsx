import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { type ChosenFile, chosenFiles, droppedFiles } from '../../../../files/dropped-files.ts';
import { Icon } from '../../../../ui/icon.tsx';
import styles from './uploads.module.css';

/** Area that takes dropped files and folders, and files that are pasted anywhere on the page. */
export function DropArea({
  label,
  onFiles,
  children,
}: {
  /** Names the place of the files. */
  label: string;
  onFiles: (files: readonly ChosenFile[]) => void;
  children: ReactNode;
}) {
  // A browser reports each element that the pointer enters and leaves. The area is left when it was left as often as entered.
  const [depth, setDepth] = useState(0);
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const files = event.clipboardData?.files;
    if (!files || files.length === 0 || isField(event.target)) return;
    event.preventDefault();
    onFiles(chosenFiles(files));
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste(event);
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, []);
  const step = (by: 1 | -1) => (event: DragEvent) => {
    if (hasFiles(event)) setDepth((before) => Math.max(0, before + by));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The button Upload does the same by keyboard.
    <div
      className={styles.area}
      onDragEnter={step(1)}
      onDragLeave={step(-1)}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        void droppedFiles(event.dataTransfer).then(onFiles);
      }}
    >
      {children}
      {depth > 0 && (
        <div className={styles.over}>
          <p>
            <Icon of={IconUpload} /> Drop to upload into <b>{label}</b>
          </p>
        </div>
      )}
    </div>
  );
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]') !== null;
