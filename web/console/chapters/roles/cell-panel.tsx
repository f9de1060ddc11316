import { Link } from '@tanstack/react-router';
import type { ProbedCell, ProbeReport } from '../../../../contract/probe.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { PolicyEntry, RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { VerdictMark } from '../../../ui/verdict.tsx';
import { counted, listed } from '../../format/format.ts';
import { tidySql } from '../../format/plain-sql.ts';
import { useChapter } from '../use-chapter.ts';
import { CellProbe } from './cell-probe.tsx';
import { Explain } from './explain/explain.tsx';
import { cellSentence, roleWords } from './role-text.ts';
import styles from './roles.module.css';

/** Panel of a cell of the matrix: the verdict, its reason, its policies and the grant. */
export function CellPanel({
  appRef,
  cell,
  role,
  policies,
  entity,
  probed,
  report,
  ...steps
}: {
  appRef: string;
  cell: RoleCell;
  role: RoleEntry;
  /** The policies that the verdict depends on, permissive policies first. */
  policies: readonly PolicyEntry[];
  /** Undefined for a function. */
  entity: Entity | undefined;
  /** Result of the probe for this cell; undefined if the cell was not probed. */
  probed: ProbedCell | undefined;
  report: ProbeReport | null;
} & PanelSteps) {
  const name = cell.entity.replace(/^public\./, '');
  const isCalled = useIsCalled(appRef, cell);
  return (
    <Panel
      label={`${name}, ${cell.operation} by ${cell.role}`}
      title={
        <>
          <code>{name}</code> <span className="soft">{cell.operation} by</span> <code>{cell.role}</code>
        </>
      }
      {...steps}
    >
      <VerdictLine>
        <span className={styles.mark}>
          <VerdictMark of={probed?.outcome === 'disagrees' ? 'disagrees' : cell.verdict} />
        </span>{' '}
        {cellSentence(cell, role)}
      </VerdictLine>
      <PanelSection title="Why">
        <KeyValues
          pairs={[
            ['Role', `${role.name}: ${roleWords(role)}`],
            ['Reason', cell.reason],
            ...(entity && cell.operation !== 'execute' ? [grantPair(cell, entity), securityPair(entity, role)] : []),
          ]}
        />
      </PanelSection>
      {policies.map((policy) => (
        <PolicySection key={policy.name} appRef={appRef} policy={policy} />
      ))}
      <CellProbe cell={probed} report={report} />
      {/* The key resets the form when another cell is selected. */}
      {isCalled && (
        <Explain
          key={`${cell.entity} ${cell.operation} ${cell.role}`}
          appRef={appRef}
          cell={cell}
          role={role}
          entity={entity}
        />
      )}
      {entity && (
        <p className={styles.foot}>
          <Link to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: entity.id }}>
            {name} in chapter 3
          </Link>
        </p>
      )}
    </Panel>
  );
}

/** A policy that a verdict depends on. */
function PolicySection({ appRef, policy }: { appRef: string; policy: PolicyEntry }) {
  return (
    <PanelSection
      title={policy.permissive ? 'Policy' : 'Policy, restrictive'}
      aside={
        <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql: policy.sql }}>
          Open in SQL
        </Link>
      }
    >
      <Code code={tidySql(policy.sql)} language="sql" label={`the policy ${policy.name}`} />
      <p className={styles.cellPanelWords}>
        <Tag>{policy.command}</Tag> for {listed(policy.roles)}
        {policy.words && <>: {policy.words}</>}
      </p>
      {policy.comment !== undefined && <p className={styles.cellPanelWords}>Comment: {policy.comment}</p>}
    </PanelSection>
  );
}

/** Returns false for a function that is only read as a computed field. No call of such a function can be explained. */
function useIsCalled(appRef: string, { entity, operation }: RoleCell): boolean {
  const { chapter: calls } = useChapter(appRef, 'calls');
  const { chapter: entities } = useChapter(appRef, 'entities');
  if (operation !== 'execute' || calls?.calls.some((call) => call.area === 'rpc' && call.entity === entity))
    return true;
  return entities?.entities.every(({ computed = [] }) => computed.every((one) => one.function !== entity)) ?? false;
}

const grantPair = ({ verdict, columns }: RoleCell, entity: Entity): readonly [string, string] => [
  'Fields',
  columns === null
    ? verdict === 'never'
      ? 'none'
      : 'all'
    : `${columns.join(', ')} (${columns.length} of ${counted(entity.fields.length, 'field')})`,
];

const securityPair = (entity: Entity, role: RoleEntry): readonly [string, string] => [
  'Row-level security',
  !entity.row_level_security
    ? 'off: every row is open to a role with the grant'
    : role.bypasses_row_level_security
      ? 'on; this role bypasses it'
      : 'on',
];
