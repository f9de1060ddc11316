import { mutationOptions } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';
import { callSql, literal } from '../sql/literal.ts';
import { runSql } from '../sql/run-sql.ts';

/** What chapter 1 says; empty for what is not said. */
export interface Description {
  name: string;
  purpose: string;
  audience: string;
  owner: string;
}

/** The SQL that says the whole of chapter 1. Pure. */
function describeSql({ name, purpose, audience, owner }: Description): string {
  const said = (text: string) => (text.trim() === '' ? null : literal(text.trim()));
  return callSql('ninefold.describe_app', {
    name: said(name),
    purpose: said(purpose),
    audience: said(audience),
    owner: said(owner),
  });
}

/** Says what the app is, for whom, and who answers for it. */
export const describeApp = (ref: string) =>
  mutationOptions({
    mutationFn: (description: Description) => runSql(ref, describeSql(description), new AbortController().signal),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) }),
  });
