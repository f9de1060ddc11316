import { defaultRestSettings } from '../../contract/settings.ts';
import type { Identity } from '../../src/identity/identity.ts';
import { databaseUrl } from '../app.ts';
import { loadNode, measureCase, printRows, type Row } from '../calls.ts';
import { CONNECTIONS, MILLISECONDS, WORKERS } from '../figures.ts';
import { BUCKET, downloadRequest, type FilesApp, KIB, uploadRequest } from './files-app.ts';
import { storedFiles } from './large-files.ts';

const SIZE = KIB;
const READ_FILES = 1000;

/** Measures uploads and downloads of small files, beside the same SQL and the same work with files without Ninefold. */
export async function measureSmallFiles(files: FilesApp): Promise<void> {
  const { node, app, member } = files;
  const base = {
    databaseUrl: await databaseUrl(node, app),
    concurrency: CONNECTIONS / WORKERS,
    milliseconds: MILLISECONDS,
    identity: memberIdentity(files),
    headers: files.headers,
    statementMilliseconds: defaultRestSettings.db_statement_timeout ?? 0,
    bucket: BUCKET,
    folder: member.id,
    home: node.home,
  };
  let uploaded = 0;
  const rows: Row[] = [];
  rows.push(
    await measureCase(
      node,
      'upload of 1 KB',
      () =>
        loadNode(node, {
          connections: CONNECTIONS,
          milliseconds: MILLISECONDS,
          next: () => uploadRequest(files, String(uploaded++), SIZE),
        }),
      { ...base, kind: 'upload' },
    ),
  );
  const downloads = Array.from({ length: Math.min(READ_FILES, uploaded) }, (_, i) => downloadRequest(files, String(i)));
  let turn = 0;
  rows.push(
    await measureCase(
      node,
      'download of 1 KB',
      () =>
        loadNode(node, {
          connections: CONNECTIONS,
          milliseconds: MILLISECONDS,
          next: () => downloads[turn++ % downloads.length] as Buffer,
        }),
      {
        ...base,
        kind: 'download',
        names: downloads.map((_, i) => String(i)),
        paths: storedFiles(node.home).slice(0, READ_FILES),
      },
    ),
  );
  printRows(rows);
}

/** Returns the identity of the member as the node has it. */
function memberIdentity({ member }: FilesApp): Identity {
  const claimsJson = Buffer.from(member.accessToken.split('.')[1] ?? '', 'base64url').toString();
  return {
    role: 'authenticated',
    claims: JSON.parse(claimsJson) as Identity['claims'],
    claimsJson,
    userId: member.id,
    sessionId: null,
    source: 'token',
  };
}
