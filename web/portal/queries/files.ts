import { useMemo } from 'react';
import type { PortalEntity } from '../../../contract/portal.ts';
import type { FilesAccess } from '../../files/files-access.ts';
import { removeFiles } from '../../files/object-calls.ts';
import { t } from '../../language/messages.ts';
import { type Portal, usePortal } from './client.ts';
import { isUnreachable, Unreachable } from './connection.ts';
import { callerHeaders, Refusal, type Row } from './rest.ts';

/** Folder of the files of visitors, who have no account. */
const VISITORS = 'visitors';

/** Returns how the pages reach /storage/v1 as the caller. */
export function useMemberFiles(userId: string | null): FilesAccess {
  const portal = usePortal();
  return useMemo(() => memberFiles(portal, userId), [portal, userId]);
}

/** Returns how the pages reach /storage/v1 as a member, or as a visitor without an id. */
export const memberFiles = (portal: Portal, userId: string | null): FilesAccess => ({
  url: '/storage/v1',
  links: '/storage/v1',
  embedsLinks: portal.embedsLinks,
  caller: userId ?? '',
  folder: userId ?? VISITORS,
  headers: () => callerHeaders(portal),
  failure: (status, body) => {
    if (status === 0) return new Unreachable(t('unreachable'));
    return new Refusal(status, parsed(body));
  },
  isLost: (error) => isUnreachable(error) || (error instanceof Refusal && error.status >= 502 && error.status <= 504),
});

/** Returns the paths that a field with files has as its value. */
export const pathsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : [];

/** Returns the files that rows name. */
export const filesOf = ({ fields }: PortalEntity, rows: readonly Row[]): { bucket: string; path: string }[] =>
  fields.flatMap(({ name, files }) =>
    files ? rows.flatMap((row) => pathsOf(row[name]).map((path) => ({ bucket: files.bucket, path }))) : [],
  );

/** Deletes the files of deleted rows. A file that the member may not delete stays, or the database has deleted it. */
export async function removeFilesOf(portal: Portal, entity: PortalEntity, rows: readonly Row[]): Promise<void> {
  const files = filesOf(entity, rows);
  for (const bucket of new Set(files.map((file) => file.bucket))) {
    const paths = files.flatMap((file) => (file.bucket === bucket ? [file.path] : []));
    await removeFiles(memberFiles(portal, null), bucket, paths).catch(() => undefined);
  }
}

function parsed(text: string): { code?: string; message?: string } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
