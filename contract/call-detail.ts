import type { CallEntry, CallParameter, CallsChapter } from './specification-calls.ts';
import type { Entity, Field } from './specification-entities.ts';

/** GET /admin/v1/apps/:ref/specification/call?id=: details of a call that are computed on request. */
export interface CallDetail {
  /** The call as complete programs. Only a password or a key must be filled in. */
  snippets: { supabase_js: string; curl: string; fetch: string };
  /** An example of a valid request. */
  example: CallExample;
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

/**
 * Returns the complete parameters and results of a call. For a call on rows, these include the fields of its entity in
 * chapter 3. Pure.
 */
export function takenBy(
  call: CallEntry,
  { rows }: Pick<CallsChapter, 'rows'>,
  entity: Entity | undefined,
): { parameters: CallParameter[]; returns: string } {
  const common = rows.find(({ method }) => method === call.method);
  return {
    parameters:
      call.parameters ?? common?.parameters.flatMap((one) => (isField(one) ? fieldsOf(call, entity) : [one])) ?? [],
    returns: call.returns ?? common?.returns ?? '',
  };
}

const isField = (parameter: CallParameter): boolean => parameter.name === '<field>' && parameter.in === 'body';

const fieldsOf = ({ method }: CallEntry, entity: Entity | undefined): CallParameter[] =>
  (entity?.fields ?? []).filter(isWritable).map((field) => ({
    name: field.name,
    in: 'body',
    type: field.type,
    required: method === 'POST' && mustBeGiven(field),
    meaning: field.comment ?? '',
  }));
