import { queryOptions } from '@tanstack/react-query';
import type { Specification } from '../../../../contract/specification.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { specificationKeys } from './keys.ts';

/** Above this number of entities, a specification takes noticeable time to send, parse and compare. */
const LARGE = 50;

const pause = (known: Specification | undefined): number =>
  (known?.chapters.entities?.entities.length ?? 0) > LARGE ? 10_000 : 3_000;

/** Reads the specification of an app. Refreshed while visible, and after every change in the console. */
export const specification = (ref: string) =>
  queryOptions({
    queryKey: specificationKeys.of(ref),
    queryFn: ({ signal }) => api<Specification>(`/apps/${segment(ref)}/specification?format=json`, { signal }),
    refetchInterval: (query) => refetchEvery(pause(query.state.data))(query),
  });

/**
 * Returns when the figures of a specification were read, in milliseconds since 1970. The figures of a large app are not
 * read with every refresh.
 */
export const figuresAt = ({
  data,
  dataUpdatedAt,
}: {
  data: Specification | undefined;
  dataUpdatedAt: number;
}): number => (data?.figures_at === undefined ? dataUpdatedAt : Date.parse(data.figures_at));
