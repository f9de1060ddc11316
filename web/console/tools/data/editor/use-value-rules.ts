import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PortalRule } from '../../../../../contract/portal.ts';
import type { Rule } from '../../../../../contract/specification.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { entityTypes, specification } from '../../../queries/specification.ts';
import { rulesIn } from './value-rules.ts';

/** Returns the rules of a table: those of chapter 5, and by field those that can be checked while a value is typed. */
export function useValueRules({ ref, entity }: Table): {
  rules: readonly Rule[];
  checked: ReadonlyMap<string, readonly PortalRule[]>;
} {
  const { data } = useQuery(specification(ref));
  const types = useQuery({
    ...entityTypes(ref, entity.id, 'json-schema', data?.hash ?? ''),
    enabled: data !== undefined,
  });
  const rules = useMemo(
    () => data?.chapters.rules?.rules.filter((rule) => rule.entity === entity.id) ?? [],
    [data, entity.id],
  );
  const checked = useMemo(() => rulesIn(types.data ?? ''), [types.data]);
  return { rules, checked };
}
