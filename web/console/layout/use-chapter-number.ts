import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { chapterPage, chapterPages } from '../chapters/chapter-pages.ts';
import { requestTrace } from '../data/calls.ts';

/**
 * Returns the number of the current chapter; undefined on other pages. The trace of a request belongs to Errors if the
 * request failed, otherwise to Calls.
 */
export function useChapterNumber(): number | undefined {
  const { path, ref, requestId } = useRouterState({
    select: ({ matches }) => {
      const { fullPath, params } = matches.at(-1) ?? {};
      return { path: fullPath as string | undefined, ...(params as { ref?: string; requestId?: string } | undefined) };
    },
    structuralSharing: true,
  });
  const { data } = useQuery({ ...requestTrace(ref ?? '', requestId ?? ''), enabled: requestId !== undefined });
  if (requestId !== undefined) return chapterPage(data && data.trace.code === null ? 'calls' : 'errors').number;
  return chapterPages(undefined).find(({ to }) => to === path)?.number;
}
