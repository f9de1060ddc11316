import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { ProbeReport } from '../../../../contract/probe.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { EdgeFunctionCell, RoleCell, RolesChapter } from '../../../../contract/specification-roles.ts';
import type { Source } from '../../../../contract/specification-source.ts';
import { Empty } from '../../../ui/empty.tsx';
import type { PanelSteps } from '../../../ui/panel.tsx';
import { counted, milliseconds, timeOfDay } from '../../format/format.ts';
import { probeState } from '../../queries/probe.ts';
import { specification } from '../../queries/specification.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { FileRightsTable } from '../files/file-tables.tsx';
import { RightsTable } from '../list/rights-table.tsx';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';
import { RealtimeRightsTables } from '../realtime/realtime-tables.tsx';
import { useChapter } from '../use-chapter.ts';
import { AdvicePanel } from './advice-panel.tsx';
import { AdviceTable } from './advice-table.tsx';
import { CellPanel } from './cell-panel.tsx';
import { cellKey, matrixOf } from './matrix.ts';
import { MatrixFigure } from './matrix-figure.tsx';
import { RolePanel } from './members/role-panel.tsx';
import { RoleTable } from './members/role-table.tsx';
import { PolicyTable } from './policy-table.tsx';
import { probedCells } from './probe-words.ts';
import { RolesAnswer } from './roles-answer.tsx';

const changes = [
  'Write a policy in SQL and save it as a migration',
  <span key="role">
    Define a role and grant it to members in Table 6.8, or call <code>ninefold.define_role(…)</code> and{' '}
    <code>ninefold.grant_role(…)</code>
  </span>,
  <span key="grant">
    Change privileges with <code>grant</code> and <code>revoke</code>
  </span>,
  <span key="comment">
    Change the description of a cell with <code>comment on policy</code>
  </span>,
];

const nameOfEdgeFunction = ({ edge_function }: EdgeFunctionCell) => [edge_function, 'call'] as const;

/** Chapter 6: the access of each role, derived from grants and policies. */
export function RolesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/roles' });
  const { chosen, advised, opened, close, choose, chooseAdvice, openRole } = useOpened(ref);
  const { chapter, pending, stale } = useChapter(ref, 'roles');
  const { data: hash } = useQuery({ ...specification(ref), select: (known) => known.hash });
  const { data: probe } = useQuery(probeState(ref));
  const report = probe?.last ?? null;
  const probed = useMemo(() => probedCells(report), [report]);
  const { chapter: entitiesChapter } = useChapter(ref, 'entities');
  const [filter, setFilter] = useState('');

  const entities = entitiesChapter?.entities;
  const all = useMemo(() => (chapter ? matrixOf(chapter, entities ?? []) : []), [chapter, entities]);
  const groups = useMemo(() => all.filter(({ name }) => name.includes(filter.trim())), [all, filter]);
  const selected = chapter?.cells.find((cell) => cellKey(cell) === chosen) ?? null;

  const select = useCallback((cell: RoleCell) => choose(cellKey(cell)), [choose]);
  const down = useMemo(
    () =>
      groups
        .flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.filter((cell) => cell.role === selected?.role)))
        .map((cell) => ({ id: cellKey(cell) })),
    [groups, selected],
  );
  const steps = usePanelSteps(down, chosen, choose);
  const advice = chapter?.advice ?? none;
  const adviceSteps = usePanelSteps(advice, advised, chooseAdvice);
  const selectedAdvice = advice.find(({ id }) => id === advised);

  return (
    <ChapterPage
      appRef={ref}
      chapter="roles"
      answer={chapter && <RolesAnswer chapter={chapter} report={report} current={report?.hash === hash} />}
      sources={chapter ? [...chapter.sources, ...probeSource(report)] : []}
      changes={changes}
      panel={
        chapter && opened !== null ? (
          <RolePanel key={opened} appRef={ref} name={opened} chapter={chapter} onClose={close} />
        ) : selectedAdvice ? (
          <AdvicePanel key={selectedAdvice.id} appRef={ref} advice={selectedAdvice} {...adviceSteps} />
        ) : (
          chapter &&
          selected && <SelectedCell {...{ appRef: ref, chapter, selected, entities, probed, report, ...steps }} />
        )
      }
    >
      {chapter?.cells.length === 0 ? (
        <Empty title="No permissions to show">
          <p>Create a table or function in an exposed schema.</p>
        </Empty>
      ) : (
        <MatrixFigure
          {...{ appRef: ref, chapter, pending, probe, probed, selected, all, groups, filter }}
          onFilter={setFilter}
          onSelect={select}
        />
      )}
      {chapter && <RoleTable {...{ appRef: ref, chapter, stale }} selected={opened} onOpen={openRole} />}
      {chapter && chapter.cells.length > 0 && (
        <>
          <AdviceTable advice={advice} selected={selectedAdvice?.id ?? null} stale={stale} onOpen={chooseAdvice} />
          {chapter.policies.length > 0 && <PolicyTable appRef={ref} policies={chapter.policies} />}
          {chapter.default_privileges.length > 0 && <DefaultPrivilegesTable lines={chapter.default_privileges} />}
        </>
      )}
      <FileRightsTable number="Table 6.5" cells={chapter?.files} />
      <RealtimeRightsTables numbers={['Table 6.6', 'Table 6.7']} chapter={chapter} />
      <RightsTable
        number="Table 6.9"
        caption="Edge functions: who may call them"
        what="Rights on edge functions"
        subject="Edge function"
        cells={chapter?.edge_functions}
        nameOf={nameOfEdgeFunction}
      />
    </ChapterPage>
  );
}

/** Returns what the panel shows, from the address, and the functions that show something else. */
function useOpened(ref: string) {
  const {
    cell: chosen = null,
    advice: advised = null,
    role: opened = null,
  } = useSearch({ from: '/signed-in/app/$ref/roles' });
  const navigate = useNavigate();
  const open = useCallback(
    (search: { cell?: string; advice?: string; role?: string }) =>
      void navigate({ to: '/app/$ref/roles', params: { ref }, search, replace: true, resetScroll: false }),
    [navigate, ref],
  );
  const openRole = (role: string) => open({ role });
  const choose = useCallback((cell: string | null) => open(cell === null ? {} : { cell }), [open]);
  const chooseAdvice = useCallback((advice: string | null) => open(advice === null ? {} : { advice }), [open]);
  return { chosen, advised, opened, close: () => open({}), choose, chooseAdvice, openRole };
}

/** The panel of a cell. */
function SelectedCell({
  appRef,
  chapter,
  selected,
  entities,
  probed,
  report,
  ...steps
}: {
  appRef: string;
  chapter: RolesChapter;
  selected: RoleCell;
  entities: readonly Entity[] | undefined;
  probed: ReturnType<typeof probedCells>;
  report: ProbeReport | null;
} & PanelSteps) {
  const role = chapter.roles.find(({ name }) => name === selected.role);
  if (!role) return null;
  return (
    <CellPanel
      appRef={appRef}
      cell={selected}
      role={role}
      policies={chapter.policies.filter(
        ({ entity, name }) => entity === selected.entity && selected.policies.includes(name),
      )}
      entity={entities?.find(({ id }) => id === selected.entity)}
      probed={probed.get(cellKey(selected))}
      report={report}
      {...steps}
    />
  );
}

const none: readonly never[] = [];

/** Returns the source line of a report: "Probe of 13:58:04: 150 cells, 612 attempts, 1.9 s, all rolled back". */
const probeSource = (report: ProbeReport | null): Source[] =>
  report === null
    ? []
    : [
        {
          kind: 'code',
          label: `Probe of ${timeOfDay(report.finished_at)}: ${counted(report.agree + report.disagree, 'cell')}, ${counted(report.attempts, 'attempt')}, ${milliseconds(Date.parse(report.finished_at) - Date.parse(report.started_at))}, all rolled back`,
        },
      ];

/** A line of the default privileges. */
type DefaultPrivilege = RolesChapter['default_privileges'][number];

const privilegeColumns: readonly WordsColumn<DefaultPrivilege>[] = [
  { name: 'Object and privileges', look: 'words', cell: ({ words }) => words },
];

/** Table of the privileges that new tables and functions will have. */
function DefaultPrivilegesTable({ lines }: { lines: readonly DefaultPrivilege[] }) {
  return (
    <TextTable
      number="Table 6.4"
      caption="Default privileges for new tables and functions"
      what={['Default privileges', 'lines']}
      columns={privilegeColumns}
      rows={lines}
      keyOf={({ id }) => id}
    />
  );
}
