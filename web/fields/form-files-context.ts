import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import { useFilesAccess } from '../files/files-access.ts';
import { FormFiles, type FormFilesStore } from '../files/form-files.ts';
import type { FolderValues } from '../files/new-path.ts';

/** Context with the files of the form that surrounds a field. */
export const FormFilesContext = createContext<FormFiles | null>(null);

/** Returns the files of the surrounding form. */
export function useFormFiles(): FormFiles {
  const files = use(FormFilesContext);
  if (!files) throw new Error('useFormFiles needs a FormFilesContext above it.');
  return files;
}

/** Makes the files of a form. Its uploads pause when the form ends. */
export function useNewFormFiles(values: Omit<FolderValues, 'user'>, store: FormFilesStore | null = null): FormFiles {
  const access = useFilesAccess();
  const [files] = useState(() => new FormFiles(access, values, store));
  useEffect(() => {
    return () => files.pause();
  }, [files]);
  return files;
}

/** Returns the names of the files that are not uploaded yet, and whether an upload has failed. */
export function usePendingFiles(files: FormFiles): { names: readonly string[]; hasFailed: boolean } {
  const { uploads } = useSyncExternalStore(files.subscribe, files.get);
  return {
    names: uploads.filter(({ state }) => state !== 'failed').map(({ file }) => file.name),
    hasFailed: uploads.some(({ state }) => state === 'failed'),
  };
}
