import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { MailDetail, MailTest } from '../../../../contract/mails.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { mailKeys } from './keys.ts';

const path = (ref: string, id: string) => `/apps/${segment(ref)}/mails/${segment(id)}`;

/** Reads a mail as its recipient sees it. Fails with `mail_unknown` if the mail was deleted. */
export const mail = (ref: string, id: string) =>
  queryOptions({
    queryKey: mailKeys.one(ref, id),
    queryFn: ({ signal }) => api<MailDetail>(path(ref, id), { signal }),
    refetchInterval: 4_000,
  });

/** Queues an unsent mail again. */
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

/** Sends a mail to an address and returns the mail server's response. */
export const testMailServer = (ref: string) =>
  mutationOptions({
    mutationFn: (to: string) => api<MailTest>(`/apps/${segment(ref)}/mails/test`, { method: 'POST', body: { to } }),
  });
