import type { SQLNamespace } from '@codemirror/lang-sql';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { shortType } from '../../../values/field-kind.ts';

/** Returns the suggestions of the editor: schemas, their tables and views, and their fields with types. */
export function completionsOf(entities: readonly Entity[]): SQLNamespace {
  const schemas: Record<string, Record<string, SQLNamespace>> = {};
  for (const { schema, name, kind, fields } of entities) {
    schemas[schema] ??= {};
    schemas[schema][name] = {
      self: { label: name, type: 'type', detail: kind },
      children: fields.map((field) => ({ label: field.name, type: 'property', detail: shortType(field.type) })),
    };
  }
  return schemas;
}
