import { queryOptions } from '@tanstack/react-query';
import type { Specification } from '../../../contract/specification.ts';
import { api, segment } from './api.ts';
import { failureOf } from './api-failure.ts';
import { refetchEvery } from './query-client.ts';
import { reach } from './reach.ts';

export const specificationKeys = {
  of: (ref: string) => ['specification', ref] as const,
  types: (ref: string, entity: string, format: string, hash: string) => ['types', ref, entity, format, hash] as const,
};

export type TypesFormat = 'zod' | 'json-schema' | 'typescript';

/**
 * Reads the types of an entity, as code for programs. Empty if callers cannot write rows of the entity. The types
 * change only with `hash`, the hash of the specification.
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

/** Number of entities above which a specification takes noticeable time to send, parse and compare. It is then refreshed less often. */
const LARGE = 50;

const pause = (known: Specification | undefined): number =>
  (known?.chapters.entities?.entities.length ?? 0) > LARGE ? 10_000 : 3_000;

/** Reads the specification of an app. The query is refreshed while it is visible, and after every change that the console makes. */
export const specification = (ref: string) =>
  queryOptions({
    queryKey: specificationKeys.of(ref),
    queryFn: ({ signal }) => api<Specification>(`/apps/${segment(ref)}/specification?format=json`, { signal }),
    refetchInterval: (query) => refetchEvery(pause(query.state.data))(query),
  });

/**
 * Returns when the figures of a specification were read, in milliseconds since 1970. For a large app this may be
 * earlier than the last refresh, because the server does not read the figures for each request.
 */
export const figuresAt = ({
  data,
  dataUpdatedAt,
}: {
  data: Specification | undefined;
  dataUpdatedAt: number;
}): number => (data?.figures_at === undefined ? dataUpdatedAt : Date.parse(data.figures_at));
