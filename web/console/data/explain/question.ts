import { isWritable } from '../../../../contract/call-detail.ts';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../../contract/specification-roles.ts';
import { isFigure, kindOf } from '../../values/field-kind.ts';
import { keyParameters } from '../rows/query-string.ts';
import { keyFields, type RequestRole, type Row } from '../rows/row.ts';

/** A call to be explained: who makes it, and what it says. */
export interface Question {
  requestRole: RequestRole;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below /rest/v1. */
  path: string;
  schema: string;
  parameters: readonly (readonly [name: string, value: string])[];
  /** JSON text; null for a call without a body. */
  body: string | null;
}

const methods = { select: 'GET', insert: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

/** The call that does to a row what a cell is about. `key`: of the row; null for a new one. Pure. */
export function questionOf(
  operation: keyof typeof methods,
  entity: Entity,
  requestRole: RequestRole,
  key: readonly string[] | null,
  body: string | null,
): Question {
  return {
    requestRole,
    method: methods[operation],
    path: encodeURIComponent(entity.name),
    schema: entity.schema,
    parameters: key === null ? [] : keyParameters(keyFields(entity), key),
    body: operation === 'insert' || operation === 'update' ? body : null,
  };
}

/** The call of a function: "public.close_ticket(bigint)". Null for an id that is none. Pure. */
export function functionQuestion(id: RoleCell['entity'], requestRole: RequestRole, body: string): Question | null {
  const parts = /^(?:"((?:[^"]|"")+)"|([^".(]+))\.(?:"((?:[^"]|"")+)"|([^".(]+))\(/.exec(id);
  const unquoted = (quoted: string | undefined, plain: string | undefined) => quoted?.replaceAll('""', '"') ?? plain;
  const schema = unquoted(parts?.[1], parts?.[2]);
  const name = unquoted(parts?.[3], parts?.[4]);
  if (schema === undefined || name === undefined) return null;
  return { requestRole, method: 'POST', path: `rpc/${encodeURIComponent(name)}`, schema, parameters: [], body };
}

/** Fields that a caller may write. */
const writable = ({ fields }: Entity): Field[] => fields.filter(isWritable);

/** A row to begin with, as JSON: every field that must be given. Pure. */
export function newRow(entity: Entity): string {
  const needed = writable(entity).filter(
    ({ nullable, default: usual, identity }) => !nullable && usual === null && identity === null,
  );
  return JSON.stringify(Object.fromEntries(needed.map((field) => [field.name, sample(field)])), null, 2);
}

function sample(field: Field): unknown {
  const kind = kindOf(field);
  if (field.enum_values?.[0] !== undefined) return field.enum_values[0];
  if (kind === 'text') return '…';
  if (isFigure(kind)) return 1;
  if (kind === 'boolean') return false;
  return null;
}

/** The field by which a change is tried that changes nothing: of those that are no key, the first that is plain to write. */
export function touchedField(entity: Entity): string | null {
  const key = keyFields(entity);
  const plain = writable(entity).filter(
    (field) =>
      !key.includes(field.name) &&
      ['text', 'integer', 'boolean', 'enum', 'uuid', 'timestamptz'].includes(kindOf(field)),
  );
  return (plain.find((field) => kindOf(field) === 'text') ?? plain[0])?.name ?? null;
}

/** A change that leaves the row as it is. Pure. */
export const sameRow = (entity: Entity, row: Row): string => {
  const field = touchedField(entity);
  return JSON.stringify(field === null ? {} : { [field]: row[field] ?? null });
};
