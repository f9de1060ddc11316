import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { type AuditSearch, AuditSheet, withoutEmpty } from '../tools/audit/audit-sheet.tsx';

/** Page with the actions of builders on the node: sign-ins, invitations, apps, settings of the node. */
export function NodeAuditPage() {
  const search = useSearch({ from: '/signed-in/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const change = useCallback(
    (changes: AuditSearch) =>
      void navigate({ search: (before) => withoutEmpty({ ...before, ...changes }), replace: true }),
    [navigate],
  );
  return <AuditSheet kind="node" appRef={null} search={search} onChange={change} />;
}
