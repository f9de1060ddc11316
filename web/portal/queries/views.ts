import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { PortalSharedView, PortalSharedViews, PortalView, PortalViewToShare } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { callerHeaders, Refusal } from './rest.ts';
import { queryClient } from './session.ts';

const viewsKey = ['views'] as const;

async function call<T = PortalView[]>(
  portal: Portal,
  method: 'GET' | 'PUT' | 'DELETE',
  query = '',
  view?: PortalView,
  path = 'views',
) {
  const response = await reach(`/portal/v1/${path}${query}`, {
    method,
    headers: { ...(await callerHeaders(portal)), ...(view && { 'content-type': 'application/json' }) },
    ...(view && { body: JSON.stringify(view) }),
  });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response.status, body);
  return body as T;
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

const sharedKey = ['shared views'] as const;

/** Reads the views that members share with the member, and with whom the member can share views. */
export const sharedViews = (portal: Portal, userId: string | null) =>
  queryOptions({
    queryKey: [...sharedKey, userId],
    queryFn: () => call<PortalSharedViews>(portal, 'GET', '', undefined, 'shared-views'),
    enabled: userId !== null,
    staleTime: 60_000,
  });

const onShared = () => queryClient.invalidateQueries({ queryKey: sharedKey });

/** Shares a view with all members who can open its list, or with a role. */
export const shareView = (portal: Portal) =>
  mutationOptions({
    mutationFn: (view: PortalViewToShare) => call<PortalSharedViews>(portal, 'PUT', '', view, 'shared-views'),
    onSuccess: onShared,
  });

/** Stops sharing a view. */
export const unshareView = (portal: Portal) =>
  mutationOptions({
    mutationFn: ({ id }: Pick<PortalSharedView, 'id'>) =>
      call<PortalSharedViews>(portal, 'DELETE', `?${new URLSearchParams({ id })}`, undefined, 'shared-views'),
    onSuccess: onShared,
  });
