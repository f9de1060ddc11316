import { IconFile } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './file-picker.module.css';
import { Icon } from './icon.tsx';

/** Button that chooses a file. The file can also be dropped on it. */
export function FilePicker({
  label,
  verb = 'Choose file',
  accept,
  small = false,
  children,
  onFile,
}: {
  /** Accessible name. */
  label: string;
  verb?: string;
  accept?: string;
  small?: boolean;
  /** The text beside the button: the name of the chosen file, or the kind of file to choose. */
  children?: ReactNode;
  onFile: (file: File) => void;
}) {
  const [isOver, setOver] = useState(false);
  const onDrag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The button in it does the same by keyboard.
    <div
      className={classNames(styles.picker, isOver && styles.over)}
      onDragOver={onDrag(true)}
      onDragLeave={onDrag(false)}
      onDrop={(event) => {
        onDrag(false)(event);
        const [file] = event.dataTransfer.files;
        if (file) onFile(file);
      }}
    >
      <label className={classNames(buttonClass({ small }), styles.button)}>
        <Icon of={IconFile} small={small} />
        <span aria-hidden="true">{verb}</span>
        <input
          type="file"
          className="sr"
          aria-label={label}
          accept={accept}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            // Without a value, the browser reports the same file again after the reader changed it.
            currentTarget.value = '';
            if (file) onFile(file);
          }}
        />
      </label>
      {children}
    </div>
  );
}
