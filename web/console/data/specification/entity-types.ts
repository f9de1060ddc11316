import { queryOptions } from '@tanstack/react-query';
import { segment } from '../api.ts';
import { failureOf } from '../api-failure.ts';
import { reach } from '../reach.ts';
import { specificationKeys } from './keys.ts';

export type TypesFormat = 'zod' | 'json-schema' | 'typescript';

/**
 * Reads the types of an entity for programs; empty if the entity accepts no rows. The types change with `hash`, the
 * hash of the specification.
 */
export const entityTypes = (ref: string, entity: string, format: TypesFormat, hash: string) =>
  queryOptions({
    queryKey: specificationKeys.types(ref, entity, format, hash),
    queryFn: async ({ signal }): Promise<string> => {
      const response = await reach(`/admin/v1/apps/${segment(ref)}/types?${new URLSearchParams({ format, entity })}`, {
        headers: {},
        signal,
      });
      const text = await response.text();
      if (!response.ok) throw failureOf(response.status, null, response.headers.get('x-request-id'));
      return text;
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
