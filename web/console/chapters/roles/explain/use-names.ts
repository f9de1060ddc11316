import { useQuery } from '@tanstack/react-query';
import type { AccessExplanation } from '../../../../../contract/access.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { entityList } from '../../../queries/entities.ts';
import { labelField, labels } from '../../../queries/rows/labels.ts';
import { keyFields } from '../../../queries/rows/row.ts';
import { user } from '../../../queries/users.ts';
import { useLabels } from '../../../tools/data/use-labels.ts';
import { nameOf } from '../../../tools/users/user-words.ts';
import { keyWords, type Names } from './explained-words.ts';

/** Stands for the entity of a function, which has no rows. */
const noEntity = { id: '', schema: '', name: '', fields: [], primary_key: [], unique_keys: [] } as unknown as Entity;

/** Loads the names of the people and rows that an explanation contains. */
export function useNames(appRef: string, { as, target, rows }: AccessExplanation): Names {
  const { data: entities = [] } = useQuery(entityList(appRef));
  const entity = entities.find(({ schema, name }) => schema === target.schema && name === target.name) ?? noEntity;
  const table = { ref: appRef, entity, requestRole: 'service' };
  const examined = rows.map(({ row }) => row);
  const labelOf = useLabels(table, entities, entity.fields, [{ rows: examined }]);
  const key = keyFields(entity);
  const [only] = key;
  const ids = examined.flatMap((row) => (only === undefined ? [] : (row[only] ?? [])));
  const own = useQuery({
    ...labels(table, only ?? '', ids),
    enabled: key.length === 1 && ids.length > 0 && labelField(entity) !== null,
  });
  const member = useQuery({ ...user(appRef, as.user_id ?? ''), enabled: as.user_id !== null, retry: false });
  const rowName = (id: string | null | undefined) => (id == null ? undefined : own.data?.get(id));
  return {
    caller: member.data ? nameOf(member.data) : as.user_id,
    valueOf: (field, value) => (field === only ? rowName(value) : undefined) ?? labelOf(field, value),
    rowOf: (row) => {
      const name = only === undefined ? undefined : rowName(row[only]);
      return name ?? keyWords(row, key.length > 0 ? key : Object.keys(row));
    },
  };
}
