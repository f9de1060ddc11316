import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Segmented } from '../../../ui/segmented.tsx';
import { type AuditSearch, AuditSheet, withoutEmpty } from './audit-sheet.tsx';

const kinds = [
  ['members', 'Members'],
  ['builders', 'Builders'],
] as const;

/** Page with the actions of members and builders in an app: actor, action, time and address. */
export function AuditPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/audit' });
  const search = useSearch({ from: '/signed-in/app/$ref/audit' });
  const navigate = useNavigate({ from: '/app/$ref/audit' });
  const kind = search.kind === 'builders' ? 'builders' : 'members';
  const change = useCallback(
    (changes: AuditSearch & { kind?: string }) =>
      void navigate({ search: (before) => withoutEmpty({ ...before, ...changes }), replace: true }),
    [navigate],
  );
  return (
    <AuditSheet
      kind={kind}
      appRef={ref}
      search={search}
      filters={
        <Segmented
          label="Whose events"
          value={kind}
          options={kinds}
          onChange={(value) => change({ kind: value === 'members' ? '' : value, action: '', member: '', entry: '' })}
        />
      }
      onChange={change}
    />
  );
}
