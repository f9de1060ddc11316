import type { Field } from './specification-entities.ts';

/** GET /admin/v1/apps/:ref/specification/call?id=: details of a call that are computed on request. */
export interface CallDetail {
  /** The call as complete programs. Only a password or a key must be filled in. */
  snippets: { supabase_js: string; curl: string; fetch: string };
  /** An example of a valid request. */
  example: CallExample;
  errors: CallErrors;
}

/**
 * The errors that a call can return: ids of chapter 8, in its order. Not included are errors of writes within
 * functions, and of SQL that functions build at run time.
 */
export interface CallErrors {
  /** Errors of the app: rules, transitions, and errors that functions raise. */
  own: string[];
  /** Errors of the protocols, PostgreSQL and Ninefold. */
  common: string[];
}

export interface CallExample {
  /** The query string without the question mark, URL-encoded; empty if there is none. */
  query: string;
  /** The headers of the request except the keys and the content type. */
  headers: Readonly<Record<string, string>>;
  /** The body of the request; null if it has none. */
  body: { content_type: string; text: string } | null;
}

/** Returns true if a request may contain a value for the field. */
export const isWritable = ({ generated, computed, identity }: Field): boolean =>
  generated === null && !computed && identity !== 'always';

/** Returns true if a new row needs a value for the field. */
export const mustBeGiven = (field: Field): boolean =>
  isWritable(field) && !field.nullable && field.default === null && field.identity === null;
