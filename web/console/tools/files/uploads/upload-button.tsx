import { type Ref, useRef } from 'react';
import { chosenFiles } from '../../../../files/dropped-files.ts';
import { Button, type ButtonProps } from '../../../../ui/button.tsx';
import type { Uploads } from './app-uploads.ts';

/** Button that chooses files and uploads them. */
export function UploadButton({ uploads, ...button }: { uploads: Uploads } & Omit<ButtonProps, 'onClick' | 'ref'>) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => field.current?.click()} />
      <FilesField ref={field} label="Files to upload" uploads={uploads} />
    </>
  );
}

/** Hidden field that chooses files, or all files of a folder, and uploads them. */
export const FilesField = ({
  label,
  isFolder = false,
  uploads,
  ref,
}: {
  label: string;
  isFolder?: boolean;
  uploads: Uploads;
  ref: Ref<HTMLInputElement>;
}) => (
  <input
    ref={ref}
    type="file"
    hidden
    multiple
    aria-label={label}
    {...(isFolder && { webkitdirectory: '' })}
    onChange={({ currentTarget }) => {
      uploads.add(chosenFiles(currentTarget.files ?? []));
      // Without a value, the browser reports the same file again after the reader changed it.
      currentTarget.value = '';
    }}
  />
);
