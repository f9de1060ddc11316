import { createContext, use } from 'react';
import type { StorageAddress } from './storage-address.ts';

/** How an application reads, uploads and deletes the files of fields. */
export interface FilesAccess extends StorageAddress {
  /** Identifies the caller, whose files are cached. */
  readonly caller: string;
  /** Folder of the caller's files: the id of the member's account. */
  readonly folder: string;
  /** Returns true if the error is one of the connection, so that the same request can succeed later. */
  readonly isLost: (error: Error) => boolean;
  /**
   * The URL before the path of a signed link. Null if no browser can open one, because no host name leads to the app.
   */
  readonly links: string | null;
  /** True if elements of the page may load a signed link. Otherwise they get bytes of a safe type. */
  readonly embedsLinks: boolean;
}

/** Context with the access of the application. Each application provides its own. */
export const FilesContext = createContext<FilesAccess | null>(null);

/** Returns the access to files. */
export function useFilesAccess(): FilesAccess {
  const access = use(FilesContext);
  if (!access) throw new Error('useFilesAccess needs a FilesContext above it.');
  return access;
}
