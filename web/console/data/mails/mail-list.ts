import { infiniteQueryOptions } from '@tanstack/react-query';
import type { MailPage } from '../../../../contract/mails.ts';
import { api, segment } from '../api.ts';
import { mailKeys } from './keys.ts';

/**
 * Reads the mails of an app, newest first, page by page. Refreshed while visible.
 * @param search Part of the recipient or the kind.
 */
export const mailList = (ref: string, search: string) =>
  infiniteQueryOptions({
    queryKey: mailKeys.list(ref, search),
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        ...(search !== '' && { search }),
        ...(pageParam !== null && { after: pageParam }),
      });
      return api<MailPage>(`/apps/${segment(ref)}/mails?${query}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => ({
      mails: [...new Map(pages.flatMap(({ mails }) => mails).map((mail) => [mail.id, mail])).values()],
      counts: pages[0]?.counts,
    }),
    refetchInterval: 4_000,
  });
