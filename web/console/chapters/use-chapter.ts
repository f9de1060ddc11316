import { useQuery } from '@tanstack/react-query';
import type { Chapters } from '../../../contract/specification.ts';
import type { BuiltChapter } from '../navigation/chapter-pages.ts';
import { specification } from '../queries/specification.ts';

/**
 * Returns a chapter of an app's specification; undefined until it is loaded. `stale` is true if the last refresh
 * failed.
 */
export function useChapter<K extends BuiltChapter>(
  appRef: string,
  key: K,
): { chapter: Chapters[K] | undefined; pending: boolean; stale: boolean } {
  const { data, isPending, isError } = useQuery(specification(appRef));
  return { chapter: data?.chapters[key], pending: isPending && !isError, stale: isError };
}
