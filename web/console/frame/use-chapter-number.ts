import { useRouterState } from '@tanstack/react-router';
import { chapterPages } from '../chapters/chapter-pages.ts';

/** The number of the chapter one is in; undefined everywhere else. */
export const useChapterNumber = (): number | undefined =>
  useRouterState({
    select: ({ matches }) => {
      const route: string | undefined = matches.at(-1)?.fullPath;
      return chapterPages(undefined).find(({ to }) => to === route)?.number;
    },
  });
