import type { CallEntry, CallParameter, CallsChapter } from './specification-calls.ts';
import type { Entity, Field } from './specification-entities.ts';

/** GET /admin/v1/apps/:ref/call?id=: what is made of a call when somebody asks for it. */
export interface CallDetail {
  /** The call as whole programs: only a password or a key is left to fill in. */
  snippets: { supabase_js: string; curl: string; fetch: string };
  /** A request that the call takes. */
  example: CallExample;
}

export interface CallExample {
  /** Without its question mark, encoded; empty for none. */
  query: string;
  /** Besides the keys and the content type. */
  headers: Readonly<Record<string, string>>;
  /** Null for none. */
  body: { content_type: string; text: string } | null;
}

/** Whether a value may be given for a field. */
export const isWritable = ({ generated, computed, identity }: Field): boolean =>
  generated === null && !computed && identity !== 'always';

/** Whether a new row needs a value for a field. */
export const mustBeGiven = (field: Field): boolean =>
  isWritable(field) && !field.nullable && field.default === null && field.identity === null;

/** What a call takes and answers, in full: of a call on rows with the fields of its entity, which chapter 3 holds. Pure. */
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
