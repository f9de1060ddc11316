import { queryOptions } from '@tanstack/react-query';
import type { Specification } from '../../../../contract/specification.ts';
import { api, segment } from '../api.ts';
import { refetchEvery } from '../query-client.ts';
import { specificationKeys } from './keys.ts';

/** Entities above which a specification takes a moment to be sent, read and compared. */
const LARGE = 50;

const pause = (known: Specification | undefined): number =>
  (known?.chapters.entities?.entities.length ?? 0) > LARGE ? 10_000 : 3_000;

/** What the app does, derived from the running system; renewed while in sight, and after every change made here. */
export const specification = (ref: string) =>
  queryOptions({
    queryKey: specificationKeys.of(ref),
    queryFn: ({ signal }) => api<Specification>(`/apps/${segment(ref)}/specification?format=json`, { signal }),
    refetchInterval: (query) => refetchEvery(pause(query.state.data))(query),
  });

/** When the figures of a specification were read, in milliseconds since 1970: those of a large app are not read each time. */
export const figuresAt = ({
  data,
  dataUpdatedAt,
}: {
  data: Specification | undefined;
  dataUpdatedAt: number;
}): number => (data?.figures_at === undefined ? dataUpdatedAt : Date.parse(data.figures_at));
