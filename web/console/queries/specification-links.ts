import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  CreatedSpecificationLink,
  SpecificationLink,
  SpecificationLinkRequest,
} from '../../../contract/specification-links.ts';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';

const linksKey = (ref: string) => ['specification links', ref] as const;
const path = (ref: string) => `/apps/${segment(ref)}/specification/links`;

/** Reads the links by which readers without an account read the specification, newest first. */
export const specificationLinks = (ref: string) =>
  queryOptions({
    queryKey: linksKey(ref),
    queryFn: ({ signal }) => api<SpecificationLink[]>(path(ref), { signal }),
    staleTime: 0,
  });

/** Creates a link. Only the result contains its address. */
export const createSpecificationLink = (ref: string) =>
  mutationOptions({
    mutationFn: (body: SpecificationLinkRequest) => api<CreatedSpecificationLink>(path(ref), { method: 'POST', body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: linksKey(ref) }),
  });

/** Withdraws a link, which stops working at once. */
export const withdrawSpecificationLink = (ref: string) =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(`${path(ref)}/${segment(id)}`, { method: 'DELETE' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: linksKey(ref) }),
  });
