import type { SqlFailure } from '../../../../../contract/admin.ts';

/** The position of an error in the text of the editor, in UTF-16 units. */
export interface Place {
  from: number;
  to: number;
}

/**
 * Returns the position of an error in the editor's text. PostgreSQL counts characters from 1 in the executed SQL, which
 * begins at `offset` of the text. The position covers a complete word, name with dots, or quoted text. Returns null if
 * PostgreSQL reports no position, or a position beyond the end of the text.
 */
export function placeOf(text: string, offset: number, position: number | null): Place | null {
  if (position === null || position < 1) return null;
  let from = offset;
  for (let characters = 1; characters < position; characters += 1) {
    const code = text.codePointAt(from);
    if (code === undefined) return null;
    from += code > 0xffff ? 2 : 1;
  }
  if (from > text.length) return null;
  const rest = text.slice(from);
  const token =
    /^(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)(?:\.(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*))*|^'(?:[^']|'')*'|^[\d.]+|^\S/u.exec(
      rest,
    );
  return { from, to: from + (token?.[0].length ?? 0) };
}

/** Returns line and column, both counted from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}

/** A fix that a key applies: a new text for a position. */
export interface Fix extends Place {
  text: string;
}

/**
 * Returns a fix for an error, or null if no fix is known. PostgreSQL's hint may contain the fix (“Perhaps you meant to
 * reference the column "t.assignee".”). For a missing table, the fix is the most similar known name.
 */
export function fixFor(failure: SqlFailure, text: string, place: Place | null, tables: readonly string[]): Fix | null {
  if (!place || place.from === place.to) return null;
  const token = text.slice(place.from, place.to);
  const meant = /^Perhaps you meant to reference the column "([^"]+)"/.exec(failure.hint ?? '')?.[1];
  if (meant !== undefined) {
    const bare = meant.slice(meant.lastIndexOf('.') + 1);
    return { ...place, text: token.includes('.') ? meant : bare };
  }
  if (failure.sqlstate !== '42P01') return null;
  const name = token.slice(token.lastIndexOf('.') + 1).toLowerCase();
  const closest = tables
    .map((table) => ({ table, away: distance(name, table.slice(table.lastIndexOf('.') + 1).toLowerCase()) }))
    .filter(({ away }) => away > 0 && away <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.away - b.away)[0];
  return closest ? { ...place, text: closest.table } : null;
}

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** An error at its position in the editor, with its fix if one is known. */
export interface MarkedError {
  failure: SqlFailure;
  place: Place;
  fix: Fix | null;
  requestId: string | null;
  /** The key caps of the fix. */
  keys: string;
}

/**
 * Returns the error of SQL for the editor; null if the error has no position in the text.
 * @param at.offset Start of the executed SQL in the text.
 * @param at.tables Names that a suggestion may contain.
 * @param at.keys The key caps that apply the suggestion.
 */
export function markedErrorAt(
  failure: SqlFailure,
  at: { text: string; offset: number; tables: readonly string[]; requestId: string | null; keys: string },
): MarkedError | null {
  const { text, offset, tables, requestId, keys } = at;
  const place = placeOf(text, offset, failure.position);
  return place && { failure, place, fix: fixFor(failure, text, place, tables), requestId, keys };
}
