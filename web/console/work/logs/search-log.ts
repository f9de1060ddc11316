import type { LogLine } from '../../../../contract/observed.ts';
import type { LogRow } from './log-columns.tsx';

/** Lines as rows: one request id may stand for several calls of a client that sends its own. Pure. */
export const rowsOf = (lines: readonly LogLine[]): LogRow[] =>
  lines.map((line) => ({ ...line, id: `${line.request_id} ${line.at}` }));

/** Rows that hold a text anywhere, whatever the case, or that are of one of these members. Pure. */
export function searchLog(rows: readonly LogRow[], text: string, members: readonly string[]): LogRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...rows];
  return rows.filter(
    ({ method, path, call, code, subject, request_id, user_id, role }) =>
      (user_id !== null && members.includes(user_id)) ||
      [`${method} ${path}`, call, code, subject, request_id, user_id, role].some((part) =>
        part?.toLowerCase().includes(wanted),
      ),
  );
}
