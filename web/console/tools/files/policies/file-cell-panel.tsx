import { Link } from '@tanstack/react-router';
import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { Code } from '../../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../../ui/panel.tsx';
import { VerdictMark } from '../../../../ui/verdict.tsx';
import { cellSentence, filesOf, roleWords } from '../../../chapters/roles/role-text.ts';
import { tidySql } from '../../../format/plain-sql.ts';

/** The calls of /storage/v1 that need an operation on storage.objects. */
const calls: Readonly<Record<RoleCell['operation'], string>> = {
  select: 'download, list, sign a link',
  insert: 'upload, copy into the bucket',
  update: 'replace, move, rename',
  delete: 'remove',
  execute: '',
};

/** Panel of a cell: whether a role may do something with the files of a bucket, and the policies that decide it. */
export function FileCellPanel({
  appRef,
  chapter,
  cell,
  isPublic,
  ...steps
}: {
  appRef: string;
  chapter: RolesChapter;
  cell: RoleCell;
  isPublic: boolean;
} & PanelSteps) {
  const role = chapter.roles.find(({ name }) => name === cell.role);
  const policies = chapter.policies.filter(
    ({ entity, name }) => entity === 'storage.objects' && cell.policies.includes(name),
  );
  return (
    <Panel
      label={`Files of ${cell.entity}, ${cell.operation} by ${cell.role}`}
      title={
        <>
          <code>{cell.entity}</code> <span className="soft">{cell.operation} by</span> <code>{cell.role}</code>
        </>
      }
      {...steps}
    >
      <VerdictLine>
        <VerdictMark of={cell.verdict} /> {role && cellSentence(cell, role, filesOf(cell.entity))}
      </VerdictLine>
      {isPublic && cell.operation === 'select' && (
        <p className="soft">
          The bucket is public: everybody downloads a file by its public address, whatever the policies say. They decide
          who may list the files.
        </p>
      )}
      <PanelSection title="Why">
        <KeyValues
          pairs={[
            ['Calls', calls[cell.operation]],
            role && ['Role', `${role.name}: ${roleWords(role)}`],
            cell.reason !== '' && ['Reason', cell.reason],
          ]}
        />
      </PanelSection>
      {policies.map(({ name, permissive, sql, words }) => (
        <PanelSection
          key={name}
          title={permissive ? 'Policy' : 'Policy, restrictive'}
          aside={
            <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql }}>
              Open in SQL
            </Link>
          }
        >
          <Code code={tidySql(sql)} language="sql" label={`the policy ${name}`} />
          <p>{words}</p>
        </PanelSection>
      ))}
    </Panel>
  );
}
