import type { ListedCall } from '../../../../contract/observed.ts';
import type { LogRow } from './log-columns.tsx';

/** Lines as rows: one request id may stand for several calls of a client that sends its own. Pure. */
export const rowsOf = (lines: readonly ListedCall[]): LogRow[] =>
  lines.map((line) => ({ ...line, id: `${line.request_id} ${line.at}` }));

/** Returns the rows that hold a text anywhere, in any letter case. Pure. */
export function searchLog(rows: readonly LogRow[], text: string): LogRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...rows];
  return rows.filter(({ method, path, call, code, subject, request_id, user_id, member, role }) =>
    [`${method} ${path}`, call, code, subject, request_id, user_id, member, role].some((part) =>
      part?.toLowerCase().includes(wanted),
    ),
  );
}
