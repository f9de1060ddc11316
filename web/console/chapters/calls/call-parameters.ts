import { isWritable, mustBeGiven } from '../../../../contract/call-detail.ts';
import type { CallEntry, CallParameter, CallsChapter } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';

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
