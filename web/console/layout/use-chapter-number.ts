import { useRouterState } from '@tanstack/react-router';
import { chapterPage, chapterPages } from '../navigation/chapter-pages.ts';
import { chapterOf, useRequest } from '../queries/use-request.ts';

/**
 * Returns the number of the current chapter; undefined on other pages. The page of a request belongs to Errors if the
 * request failed, otherwise to Calls.
 */
export function useChapterNumber(): number | undefined {
  const { path, ref, requestId } = useRouterState({
    select: ({ matches }) => {
      const { fullPath, params } = matches.at(-1) ?? {};
      // The path of the first page of an app ends with a slash, unlike the links to this page.
      return {
        path: (fullPath as string | undefined)?.replace(/\/$/, ''),
        ...(params as { ref?: string; requestId?: string } | undefined),
      };
    },
    structuralSharing: true,
  });
  const { answered } = useRequest(ref ?? '', requestId);
  if (requestId !== undefined) return chapterPage(chapterOf(answered)).number;
  return chapterPages(undefined).find(({ to }) => to === path)?.number;
}
