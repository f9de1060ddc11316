/** A statement in the history of the SQL page. The newest run is first in the history. */
export interface PastStatement {
  sql: string;
  /** Time of the run in milliseconds since 1970. */
  at: number;
  failed: boolean;
}

/** A saved statement with its name. */
export interface SavedStatement {
  name: string;
  sql: string;
}

/** The state of the SQL page for one app, which this browser stores. */
export interface SqlPageState {
  /** The text of the editor. */
  draft: string;
  /** Name of the saved statement that the draft is based on. */
  open: string | null;
  history: readonly PastStatement[];
  saved: readonly SavedStatement[];
}

const remembered = 50;

export const emptySqlPage: SqlPageState = { draft: '', open: null, history: [], saved: [] };

/** Adds a run to the start of the history, which contains each SQL once. */
export const withRun = (kept: SqlPageState, run: PastStatement): SqlPageState => ({
  ...kept,
  history: [run, ...kept.history.filter(({ sql }) => sql !== run.sql)].slice(0, remembered),
});

/** Saves the editor's text under a name. If a saved statement has this name, its text is replaced. */
export const withSaved = (kept: SqlPageState, name: string): SqlPageState => ({
  ...kept,
  open: name,
  saved: [...kept.saved.filter((each) => each.name !== name), { name, sql: kept.draft }].sort((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  ),
});

export const withoutSaved = (kept: SqlPageState, name: string): SqlPageState => ({
  ...kept,
  open: kept.open === name ? null : kept.open,
  saved: kept.saved.filter((each) => each.name !== name),
});

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads the state of the SQL page as the browser stored it; omits invalid parts. */
export function readSqlState(text: string | null): SqlPageState {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (typeof value !== 'object' || value === null) return emptySqlPage;
    const { draft, open, history, saved }: Partial<Record<keyof SqlPageState, unknown>> = value;
    return {
      draft: isText(draft) ? draft : '',
      open: isText(open) ? open : null,
      history: Array.isArray(history) ? history.filter(isPast) : [],
      saved: Array.isArray(saved) ? saved.filter(isSaved) : [],
    };
  } catch {
    return emptySqlPage;
  }
}

const isPast = (value: unknown): value is PastStatement => {
  if (typeof value !== 'object' || value === null) return false;
  const { sql, at, failed }: Partial<Record<keyof PastStatement, unknown>> = value;
  return isText(sql) && typeof at === 'number' && typeof failed === 'boolean';
};

const isSaved = (value: unknown): value is SavedStatement => {
  if (typeof value !== 'object' || value === null) return false;
  const { name, sql }: Partial<Record<keyof SavedStatement, unknown>> = value;
  return isText(name) && isText(sql);
};

/** Returns the title of a text: its leading comment, or else its first line. */
export function titleOf(sql: string): string {
  const first = sql.trim().split('\n', 1)[0]?.trim() ?? '';
  const comment = /^--+\s*(.+)$/.exec(first)?.[1];
  return comment ?? (first === '' ? 'New statement' : first);
}

/** Returns a text on one line for the list, without its leading comments. */
export const oneLine = (sql: string): string =>
  (sql.replace(/^(?:\s*--[^\n]*(?:\n|$))+/, '').trim() || sql.trim()).replace(/\s+/g, ' ').slice(0, 120);
