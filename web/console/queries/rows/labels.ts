import { queryOptions } from '@tanstack/react-query';
import { labelFields } from '../../../../contract/label-fields.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { givenNames } from '../../../fields/format.ts';
import { keysParameter } from '../../../rows/query.ts';
import { kindOf } from '../../values/field-kind.ts';
import { rowKeys } from './keys.ts';
import { portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import type { Row } from './row.ts';

/** Further fields in which a search for rows looks. */
const searchedToo = ['name', 'title', 'label', 'subject', 'display_name', 'full_name', 'email', 'slug'];

/** Returns true for the table of accounts. Its texts, such as the role, say nothing about a member. */
const isAccounts = ({ schema, name }: Pick<Entity, 'schema' | 'name'>): boolean =>
  schema === 'auth' && name === 'users';

/**
 * Returns the field by which a builder recognizes a row; of a person, the last name, and of an account, the address.
 * Null if it is a part of the key, which is shown anyway.
 */
export function labelField(entity: Entity): string | null {
  if (isAccounts(entity)) return 'email';
  const label = labelFields(entity).at(-1);
  return label === undefined || entity.primary_key.includes(label) ? null : label;
}

/** Returns the fields in which a search for rows looks: the label first, then other names and addresses. */
export function searchedFields(entity: Entity): string[] {
  if (isAccounts(entity)) return ['email', 'phone'];
  const texts = new Set(entity.fields.filter((field) => kindOf(field) === 'text').map(({ name }) => name));
  const names = [...labelFields(entity), ...searchedToo.filter((name) => texts.has(name))];
  return [...new Set(names)].slice(0, 4);
}

/**
 * Reads the labels of the rows of `table` in which `field` has one of `values`. Returns them by this value; empty if
 * the entity has no label field.
 */
export const labels = (table: Table, field: string, values: readonly string[]) =>
  queryOptions({
    queryKey: rowKeys.labels(table.ref, table.entity.id, table.requestRole, field, values),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const label = labelField(table.entity);
      const found = new Map<string, string>();
      if (label === null) return found;
      const answers = await Promise.all(
        portions(
          [field],
          values.map((value) => [value]),
        ).map((portion) =>
          restCall(isAccounts(table.entity) ? { ...table, requestRole: 'service' } : table, {
            parameters: [['select', selected(table.entity, field, label)], keysParameter([field], portion)],
            signal,
          }),
        ),
      );
      for (const { rows } of answers) {
        for (const row of rows) {
          const value = row[field];
          const text = isAccounts(table.entity) ? accountName(row) : row[label];
          if (typeof value === 'string' && typeof text === 'string') found.set(value, text);
        }
      }
      return found;
    },
    staleTime: 60_000,
    retry: false,
  });

/** Returns the parameter `select` for a field and the parts of the label. */
const selected = (entity: Entity, field: string, label: string): string =>
  isAccounts(entity)
    ? [selectOf([field, 'email', 'phone']), ...givenNames.map((name) => `${name}:raw_user_meta_data->>${name}`)].join(
        ',',
      )
    : selectOf([field, label]);

/**
 * Returns the label of an account: the name, else the address, else the phone number. A builder reads all accounts, so
 * the label does not depend on the caller of the rows.
 */
const accountName = (row: Row): string | null =>
  [...givenNames.map((name) => row[name]), row.email, row.phone ? `+${row.phone}` : null].find(Boolean) ?? null;
