import { queryOptions } from '@tanstack/react-query';
import type { AccessExplanation } from '../../../contract/access.ts';
import { isWritable } from '../../../contract/call-detail.ts';
import type { Entity, Field } from '../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { keyParameters, type Parameter } from '../../rows/query.ts';
import { restRequest } from '../../rows/rest-request.ts';
import { isFigure, kindOf } from '../values/field-kind.ts';
import { segment } from './api.ts';
import { failureOf } from './api-failure.ts';
import { reach, readJson } from './reach.ts';
import { labelField } from './rows/labels.ts';
import { orderOf, selectOf } from './rows/query-string.ts';
import { restCall } from './rows/rest-call.ts';
import { keyFields, type RequestRole, type Row } from './rows/row.ts';

/**
 * Explains the result of a call. The server runs the call through the builder proxy, records the evaluated policies,
 * and rolls the call back.
 */
export const explanation = (ref: string, question: Question) =>
  queryOptions({
    queryKey: ['explanation', ref, question],
    queryFn: async ({ signal }): Promise<AccessExplanation> => {
      const { requestRole, method, path, schema, parameters, body } = question;
      const { url, init } = restRequest(path, schema, {
        method,
        parameters,
        body: body ?? undefined,
        prefer: ['explain=access'],
      });
      const response = await reach(`/admin/v1/apps/${segment(ref)}${url}`, {
        ...init,
        headers: { ...init.headers, ...(requestRole !== 'service' && { 'x-ninefold-as': requestRole }) },
        signal,
      });
      const answer = await readJson(response);
      if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
      return answer as AccessExplanation;
    },
    // Rows and policies may change at any time, so the explanation is not cached.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** A call to explain: the caller, and the request that the caller sends. */
export interface Question {
  requestRole: RequestRole;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below /rest/v1. */
  path: string;
  schema: string;
  parameters: readonly Parameter[];
  /** Body of the request as JSON text; null for a call without a body. */
  body: string | null;
}

const methods = { select: 'GET', insert: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

/**
 * Returns the request of a cell of the matrix, for one row. Pure.
 * @param key Key of the row; null for a new row.
 */
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

/**
 * Returns the request that calls a function, given its id such as "public.close_ticket(bigint)". Null if the id is no
 * id of a function. Pure.
 */
export function functionQuestion(id: RoleCell['entity'], requestRole: RequestRole, body: string): Question | null {
  const parts = /^(?:"((?:[^"]|"")+)"|([^".(]+))\.(?:"((?:[^"]|"")+)"|([^".(]+))\(/.exec(id);
  const unquoted = (quoted: string | undefined, plain: string | undefined) => quoted?.replaceAll('""', '"') ?? plain;
  const schema = unquoted(parts?.[1], parts?.[2]);
  const name = unquoted(parts?.[3], parts?.[4]);
  if (schema === undefined || name === undefined) return null;
  return { requestRole, method: 'POST', path: `rpc/${encodeURIComponent(name)}`, schema, parameters: [], body };
}

/** Returns the fields that a caller may write. */
const writable = ({ fields }: Entity): Field[] => fields.filter(isWritable);

/** Returns a new row as JSON, with an example value for every required field. Pure. */
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

/**
 * Returns the field that an update sets to its own value, so that it changes nothing: the first writable field that is
 * no key and has a plain type.
 */
export function touchedField(entity: Entity): string | null {
  const key = keyFields(entity);
  const plain = writable(entity).filter(
    (field) =>
      !key.includes(field.name) &&
      ['text', 'integer', 'boolean', 'enum', 'uuid', 'timestamptz'].includes(kindOf(field)),
  );
  return (plain.find((field) => kindOf(field) === 'text') ?? plain[0])?.name ?? null;
}

/** Returns an update that leaves the row unchanged. Pure. */
export const sameRow = (entity: Entity, row: Row): string => {
  const field = touchedField(entity);
  return JSON.stringify(field === null ? {} : { [field]: row[field] ?? null });
};

/** Maximum number of rows that the reader can choose from. */
const offered = 50;

/** Reads the first rows of an entity in the order of its key, with their labels. */
export const someRows = (ref: string, entity: Entity) =>
  queryOptions({
    queryKey: ['some-rows', ref, entity.id],
    queryFn: async ({ signal }): Promise<Row[]> => {
      const key = keyFields(entity);
      const fields = [...new Set([...key, labelField(entity), touchedField(entity)].filter((name) => name !== null))];
      const order = orderOf(null, key);
      const { rows } = await restCall(
        { ref, entity, requestRole: 'service' },
        {
          parameters: [
            ['select', selectOf(fields)],
            ...(order === '' ? [] : [['order', order] as const]),
            ['limit', String(offered)],
          ],
          signal,
        },
      );
      return rows;
    },
    staleTime: 30_000,
    retry: false,
  });
