import { queryOptions } from '@tanstack/react-query';
import {
  type BeginImportRequest,
  type ImportPreview,
  type MemberImport,
  partBytes,
  type RefusedRecord,
} from '../../../contract/member-imports.ts';
import { api, segment } from './api.ts';
import { failureOf } from './api-failure.ts';
import { appKeys } from './apps.ts';
import { queryClient } from './query-client.ts';
import { reach, readJson } from './reach.ts';
import { userKeys } from './users.ts';

const importsPath = (ref: string): string => `/apps/${segment(ref)}/member-imports`;
const importPath = (ref: string, id: string): string => `${importsPath(ref)}/${segment(id)}`;

/**
 * Sends a file in parts, so that a file of any size needs little memory. Returns the import and the first records of
 * the file.
 * @param onPart Called after each part with the share of the file that the server has received, from 0 to 1.
 * @throws {ApiFailure}
 */
export async function sendImport(
  ref: string,
  file: File,
  request: Omit<BeginImportRequest, 'file_name'>,
  onPart: (part: number) => void,
): Promise<{ id: string; preview: ImportPreview }> {
  const begun = await api<MemberImport>(importsPath(ref), {
    method: 'POST',
    body: { ...request, file_name: file.name },
  });
  const path = importPath(ref, begun.id);
  for (let position = 0; position * partBytes < file.size; position++) {
    const start = position * partBytes;
    const response = await reach(`/admin/v1${path}/parts/${position}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: file.slice(start, start + partBytes),
    });
    if (!response.ok) throw failureOf(response.status, await readJson(response), response.headers.get('x-request-id'));
    onPart(Math.min(1, (start + partBytes) / file.size));
  }
  return { id: begun.id, preview: await api<ImportPreview>(`${path}/preview`) };
}

export const runImport = (ref: string, id: string): Promise<MemberImport> =>
  api<MemberImport>(`${importPath(ref, id)}/run`, { method: 'POST' });

/** Reads the progress of an import while it runs, and its report after it has ended. */
export const importProgress = (ref: string, id: string) =>
  queryOptions({
    queryKey: ['member-import', ref, id],
    queryFn: async ({ signal }) => {
      const state = await api<MemberImport>(importPath(ref, id), { signal });
      if (state.state === 'running') return { state, refusals: [] };
      void queryClient.invalidateQueries({ queryKey: userKeys.lists(ref) });
      void queryClient.invalidateQueries({ queryKey: appKeys.activity(ref) });
      return { state, refusals: await api<RefusedRecord[]>(`${importPath(ref, id)}/refusals`, { signal }) };
    },
    refetchInterval: ({ state: { data } }) => (data && data.state.state !== 'running' ? false : 500),
  });
