import type { Entity, Field } from '../../contract/specification-entities.ts';

/** Returns a writable field of the type text for tests. The properties in `more` replace the defaults. */
export const fieldFixture = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  type: 'text',
  base_type: null,
  nullable: false,
  default: null,
  generated: null,
  identity: null,
  enum_values: null,
  comment: null,
  references: null,
  ...more,
});

/** Returns an exposed table with row-level security and the key `id` for tests. The properties in `more` replace the defaults. */
export function entityFixture(name: string, more: Partial<Entity> = {}): Entity {
  const { schema = 'public' } = more;
  return {
    id: `${schema}.${name}`,
    schema,
    name,
    kind: 'table',
    exposed: true,
    comment: null,
    owner: 'app_x',
    row_level_security: true,
    forced_row_level_security: false,
    security: null,
    writable: { insert: true, update: true, delete: true },
    primary_key: ['id'],
    unique_keys: [],
    fields: [],
    triggers: [],
    inherits: [],
    partitions: 0,
    definition: null,
    extension: null,
    ...more,
  };
}
