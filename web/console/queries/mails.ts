import { infiniteQueryOptions, keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  MailDetail,
  MailPage,
  MailPreviewRequest,
  MailTemplate,
  MailTest,
  RenderedMail,
} from '../../../contract/mails.ts';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';

export const mailKeys = {
  all: (ref: string) => ['mails', ref] as const,
  lists: (ref: string) => ['mails', ref, 'list'] as const,
  list: (ref: string, search: string) => ['mails', ref, 'list', search] as const,
  one: (ref: string, id: string) => ['mails', ref, 'one', id] as const,
  templates: (ref: string) => ['mails', ref, 'templates'] as const,
  preview: (ref: string, request: object) => ['mails', ref, 'preview', request] as const,
};

/**
 * Reads the mails of an app, newest first, page by page. The query is refreshed while it is visible.
 * @param search Part of the recipient's address, or of the kind of mail.
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

const path = (ref: string, id: string) => `/apps/${segment(ref)}/mails/${segment(id)}`;

/** Reads a mail as its recipient sees it. Fails with `mail_unknown` if the mail was deleted. */
export const mail = (ref: string, id: string) =>
  queryOptions({
    queryKey: mailKeys.one(ref, id),
    queryFn: ({ signal }) => api<MailDetail>(path(ref, id), { signal }),
    refetchInterval: 4_000,
  });

/** Puts a mail that was not sent into the queue again. */
export const resendMail = (ref: string) =>
  mutationOptions({
    mutationFn: (id: string) => api<unknown>(`${path(ref, id)}/resend`, { method: 'POST' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: mailKeys.all(ref) }),
  });

export const deleteMail = (ref: string) =>
  mutationOptions({
    mutationFn: (id: string) => api<null>(path(ref, id), { method: 'DELETE' }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: mailKeys.lists(ref) }),
  });

/** Sends a test mail to an address, and returns the response of the mail server. */
export const testMailServer = (ref: string) =>
  mutationOptions({
    mutationFn: (to: string) => api<MailTest>(`/apps/${segment(ref)}/mails/test`, { method: 'POST', body: { to } }),
  });

export const mailTemplates = (ref: string) =>
  queryOptions({
    queryKey: mailKeys.templates(ref),
    queryFn: ({ signal }) => api<MailTemplate[]>(`/apps/${segment(ref)}/mail-templates`, { signal }),
  });

/** Reads the preview of a mail with example values. */
export const mailPreview = (ref: string, request: MailPreviewRequest) =>
  queryOptions({
    queryKey: mailKeys.preview(ref, request),
    queryFn: ({ signal }) =>
      api<RenderedMail>(`/apps/${segment(ref)}/mail-templates/preview`, { method: 'POST', body: request, signal }),
    placeholderData: keepPreviousData,
  });
