import type { ListedCall } from '../../../../contract/observed.ts';
import type { LogRow } from './log-columns.tsx';

/** Converts lines to rows. Several requests may share a request id, because clients can send their own. Pure. */
export const rowsOf = (lines: readonly ListedCall[]): LogRow[] =>
  lines.map((line) => ({ ...line, id: `${line.request_id} ${line.at}` }));

/** Returns the rows that contain a text, without regard to case. Pure. */
export function searchLog(rows: readonly LogRow[], text: string): LogRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...rows];
  return rows.filter(({ method, path, call, code, subject, request_id, user_id, member, role }) =>
    [`${method} ${path}`, call, code, subject, request_id, user_id, member, role].some((part) =>
      part?.toLowerCase().includes(wanted),
    ),
  );
}
