import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { OnePage } from '../../../contract/one-page.ts';
import { download } from '../../rows/download.ts';
import { api, segment } from './api.ts';
import { failureOf } from './api-failure.ts';
import { reach } from './reach.ts';
import { specificationKeys } from './specification.ts';

/** The files that an export of a specification can be. */
export const exportFormats = {
  markdown: { name: 'Markdown', ending: 'md', type: 'text/markdown' },
  html: { name: 'HTML', ending: 'html', type: 'text/html' },
  json: { name: 'JSON', ending: 'json', type: 'application/json' },
} as const;

export type ExportFormat = keyof typeof exportFormats;

/** The complete specification, or the page that explains the app. */
export type ExportExtent = 'complete' | 'one-page';

const path = (ref: string, extent: ExportExtent, format: ExportFormat): string =>
  `/apps/${segment(ref)}/specification?${new URLSearchParams({ format, extent })}`;

/** Saves the specification of an app as a file. */
export const exportSpecification = (ref: string) =>
  mutationOptions({
    mutationFn: async ({ extent, format }: { extent: ExportExtent; format: ExportFormat }) => {
      const response = await reach(`/admin/v1${path(ref, extent, format)}`, { headers: {} });
      const text = await response.text();
      if (!response.ok) throw failureOf(response.status, null, response.headers.get('x-request-id'));
      const { ending, type } = exportFormats[format];
      download(`${ref}${extent === 'one-page' ? '-in-one-page' : ''}.${ending}`, type, text);
    },
  });

/** Reads the page that explains an app. `hash` is that of the specification, so that a change reads the page again. */
export const onePage = (ref: string, hash: string) =>
  queryOptions({
    queryKey: [...specificationKeys.of(ref), 'one page', hash],
    queryFn: ({ signal }) => api<OnePage>(path(ref, 'one-page', 'json'), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
