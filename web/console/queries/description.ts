import { mutationOptions } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';
import { specificationKeys } from './specification.ts';
import { callSql, literal, runSql } from './sql.ts';

/** The description of the app in chapter 1. A missing part is an empty string. */
export interface Description {
  name: string;
  purpose: string;
  audience: string;
  owner: string;
}

/** Returns the SQL that sets all parts of the description. Pure. */
function describeSql({ name, purpose, audience, owner }: Description): string {
  const said = (text: string) => (text.trim() === '' ? null : literal(text.trim()));
  return callSql('ninefold.describe_app', {
    name: said(name),
    purpose: said(purpose),
    audience: said(audience),
    owner: said(owner),
  });
}

/** Changes the purpose, the audience and the owner of the app. */
export const describeApp = (ref: string) =>
  mutationOptions({
    mutationFn: (description: Description) => runSql(ref, describeSql(description), new AbortController().signal),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) }),
  });
