import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { consoleHeader } from '../../../../contract/admin.ts';
import type { FilesAccess } from '../../../files/files-access.ts';
import { failureOfText } from '../api-failure.ts';
import { connection } from '../apps.ts';
import { mayPass } from '../query-client.ts';
import { storageUrl } from './storage-call.ts';

/** Folder of files that builders upload into fields, in the place of a member's id. */
const BUILDERS = 'builders';

/** Returns how the console reaches the files of fields, with the privileges of the service role. */
export function useFieldFiles(ref: string): FilesAccess {
  const { data } = useQuery(connection(ref));
  const origin = data?.origin ?? null;
  return useMemo(
    () => ({
      url: storageUrl(ref),
      links: origin === null ? null : `${origin}/storage/v1`,
      embedsLinks: false,
      caller: 'builder',
      folder: BUILDERS,
      headers: () => ({ [consoleHeader]: '1' }),
      failure: failureOfText,
      isLost: mayPass,
    }),
    [ref, origin],
  );
}
