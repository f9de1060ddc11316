import { queryOptions } from '@tanstack/react-query';
import type { Entity } from '../../../contract/specification-entities.ts';
import { api, segment } from './api.ts';

export const entityKeys = { list: (ref: string) => ['entities', ref] as const };

/** Reads the tables and views of an app in all schemas, with estimates of their numbers of rows. */
export const entityList = (ref: string) =>
  queryOptions({
    queryKey: entityKeys.list(ref),
    queryFn: ({ signal }) => api<Entity[]>(`/apps/${segment(ref)}/entities`, { signal }),
    refetchInterval: 30_000,
  });
