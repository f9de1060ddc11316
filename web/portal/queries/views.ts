import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { PortalView } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { callerHeaders, Refusal } from './rest.ts';
import { queryClient } from './session.ts';

const viewsKey = ['views'] as const;

async function call(portal: Portal, method: 'GET' | 'PUT' | 'DELETE', query = '', view?: PortalView) {
  const response = await reach(`/portal/v1/views${query}`, {
    method,
    headers: { ...(await callerHeaders(portal)), ...(view && { 'content-type': 'application/json' }) },
    ...(view && { body: JSON.stringify(view) }),
  });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response.status, body);
  return body as PortalView[];
}

/** Converts the query string of a view to the property `search` of a router link. */
export const searchOf = (query: string) => Object.fromEntries(new URLSearchParams(query)) as never;

/** Reads the views that the member has saved. */
export const views = (portal: Portal, userId: string | null) =>
  queryOptions({
    queryKey: [...viewsKey, userId],
    queryFn: () => call(portal, 'GET'),
    enabled: userId !== null,
    staleTime: 60_000,
  });

/** Saves a view. If the member already has a view with this name, replaces it. */
export const saveView = (portal: Portal) =>
  mutationOptions({
    mutationFn: (view: PortalView) => call(portal, 'PUT', '', view),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: viewsKey }),
  });

/** Deletes a view. */
export const deleteView = (portal: Portal) =>
  mutationOptions({
    mutationFn: ({ route, name }: PortalView) => call(portal, 'DELETE', `?${new URLSearchParams({ route, name })}`),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: viewsKey }),
  });
