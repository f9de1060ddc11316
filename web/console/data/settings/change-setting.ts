import { mutationOptions } from '@tanstack/react-query';
import type { LimitLine, Specification } from '../../../../contract/specification.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';
import { versionKeys } from '../versions/keys.ts';

/** A limit that is an app setting, and its new value. Null removes the limit, and `default` resets the setting. */
export interface LimitChange {
  limit: LimitLine;
  to: number | null | 'default';
}

/**
 * Changes the app setting of a limit. The cached specification shows the new value at once. If the server refuses the
 * value, it shows the previous value again: `setting_invalid`, `setting_unknown`.
 */
export const changeLimit = (ref: string) =>
  mutationOptions({
    mutationFn: async ({ limit, to }: LimitChange): Promise<void> => {
      const path = `/apps/${segment(ref)}/settings/${segment(limit.change?.key ?? '')}`;
      if (to === 'default') await api(path, { method: 'DELETE' });
      else await api(path, { method: 'PUT', body: { value: to } });
    },
    onMutate: async ({ limit, to }: LimitChange) => {
      const queryKey = specificationKeys.of(ref);
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<Specification>(queryKey);
      queryClient.setQueryData<Specification>(queryKey, (known) => known && withLimit(known, limit.id, to));
      return { before };
    },
    onError: (_error, _change, result) => {
      if (result?.before) queryClient.setQueryData(specificationKeys.of(ref), result.before);
    },
    onSettled: () => {
      setTimeout(() => {
        void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
        void queryClient.invalidateQueries({ queryKey: versionKeys.all(ref) });
      }, heard);
    },
  });

/**
 * Time in ms until every process of the node uses a changed setting. Before that, a process may return the previous
 * value.
 */
const heard = 1000;

/** Returns the specification with a new value of one limit. Pure. */
export function withLimit(known: Specification, id: string, to: LimitChange['to']): Specification {
  const { limits } = known.chapters;
  if (!limits) return known;
  const changed = limits.limits.map((line): LimitLine => {
    if (line.id !== id) return line;
    const value = to === 'default' ? line.default : to;
    return { ...line, value, set_in: value === line.default ? 'code' : 'setting' };
  });
  return { ...known, chapters: { ...known.chapters, limits: { ...limits, limits: changed } } };
}
