import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MailPreviewRequest, MailTemplate, RenderedMail } from '../../../../contract/mails.ts';
import { api, segment } from '../api.ts';
import { mailKeys } from './keys.ts';

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
