import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { ProbeReport, ProbeState } from '../../../../contract/probe.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { RoleCell, RolesChapter } from '../../../../contract/specification-roles.ts';
import type { Source } from '../../../../contract/specification-source.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { badFigureClass, FlashOnChange, liveValueClass } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { probeState, startProbe } from '../../data/probe.ts';
import { specification } from '../../data/specification.ts';
import { count, counted, milliseconds, timeOfDay } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { useNeighbours } from '../../keys/use-neighbours.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { FilterField } from '../list/filter-field.tsx';
import { useIncrementalList } from '../list/list-hooks.ts';
import { TruncationNotice } from '../list/truncation-notice.tsx';
import { useChapter } from '../use-chapter.ts';
import { AdvicePanel } from './advice-panel.tsx';
import { AdviceTable } from './advice-table.tsx';
import { CellPanel } from './cell-panel.tsx';
import { DefaultPrivilegesTable } from './default-privileges-table.tsx';
import { cellKey, matrixOf, tally } from './matrix.ts';
import { PolicyTable } from './policy-table.tsx';
import { probedCells, progress } from './probe-words.ts';
import { RoleMatrix, roomForWords } from './role-matrix.tsx';
import styles from './roles-page.module.css';
import { useIsNarrow } from './use-is-narrow.ts';

const changes = [
  'Write a policy in SQL and save it as a migration',
  <span key="role">
    Create a role with <code>ninefold.define_role(…)</code> and grant it to a member with{' '}
    <code>ninefold.grant_role(…)</code>
  </span>,
  <span key="grant">
    Change privileges with <code>grant</code> and <code>revoke</code>
  </span>,
  <span key="comment">
    Change the description of a cell with <code>comment on policy</code>
  </span>,
];

/** Chapter 6: the access of each role, derived from grants and policies. */
export function RolesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/roles' });
  const { cell: chosen = null, advice: advised = null } = useSearch({ from: '/signed-in/app/$ref/roles' });
  const navigate = useNavigate();
  const open = useCallback(
    (search: { cell?: string; advice?: string }) =>
      void navigate({ to: '/app/$ref/roles', params: { ref }, search, replace: true, resetScroll: false }),
    [navigate, ref],
  );
  const choose = useCallback((cell: string) => open({ cell }), [open]);
  const chooseAdvice = useCallback((advice: string) => open({ advice }), [open]);
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
  const close = useCallback(() => open({}), [open]);
  const down = useMemo(
    () =>
      groups
        .flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.filter((cell) => cell.role === selected?.role)))
        .map((cell) => ({ id: cellKey(cell) })),
    [groups, selected],
  );
  const { previous, next } = useNeighbours(down, chosen, choose);
  const advice = chapter?.advice ?? none;
  const advices = useNeighbours(advice, advised, chooseAdvice);
  const selectedAdvice = advice.find(({ id }) => id === advised);

  return (
    <ChapterPage
      appRef={ref}
      chapter="roles"
      answer={chapter && <Answer chapter={chapter} report={report} current={report?.hash === hash} />}
      sources={chapter ? [...chapter.sources, ...probeSource(report)] : []}
      changes={changes}
      panel={
        selectedAdvice ? (
          <AdvicePanel
            key={selectedAdvice.id}
            appRef={ref}
            advice={selectedAdvice}
            onClose={close}
            onPrevious={advices.previous}
            onNext={advices.next}
          />
        ) : (
          chapter &&
          selected && (
            <SelectedCell
              {...{ appRef: ref, chapter, selected, entities, probed, report }}
              onClose={close}
              onPrevious={previous}
              onNext={next}
            />
          )
        )
      }
    >
      {chapter?.cells.length === 0 ? (
        <Empty title="No permissions to show">
          <p>Create a table or function in an exposed schema.</p>
        </Empty>
      ) : (
        <>
          <MatrixFigure
            {...{ appRef: ref, chapter, pending, probe, probed, selected, all, groups, filter }}
            onFilter={setFilter}
            onSelect={select}
          />
          {chapter && (
            <AdviceTable advice={advice} selected={selectedAdvice?.id ?? null} stale={stale} onOpen={chooseAdvice} />
          )}
          {chapter && chapter.policies.length > 0 && <PolicyTable appRef={ref} policies={chapter.policies} />}
          {chapter && chapter.default_privileges.length > 0 && (
            <DefaultPrivilegesTable lines={chapter.default_privileges} />
          )}
        </>
      )}
    </ChapterPage>
  );
}

/** The panel of a cell. */
function SelectedCell({
  appRef,
  chapter,
  selected,
  entities,
  probed,
  report,
  onClose,
  onPrevious,
  onNext,
}: {
  appRef: string;
  chapter: RolesChapter;
  selected: RoleCell;
  entities: readonly Entity[] | undefined;
  probed: ReturnType<typeof probedCells>;
  report: ProbeReport | null;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}) {
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
      onClose={onClose}
      onPrevious={onPrevious}
      probed={probed.get(cellKey(selected))}
      report={report}
      onNext={onNext}
    />
  );
}

/** Table 6.1: the matrix of roles and entities, with its filter and the probe. */
function MatrixFigure({
  appRef,
  chapter,
  pending,
  probe,
  probed,
  selected,
  all,
  groups,
  filter,
  onFilter,
  onSelect,
}: {
  appRef: string;
  chapter: RolesChapter | undefined;
  pending: boolean;
  probe: ProbeState | undefined;
  probed: ReturnType<typeof probedCells>;
  selected: RoleCell | null;
  all: ReturnType<typeof matrixOf>;
  /** The part of `all` that the filter selects. */
  groups: ReturnType<typeof matrixOf>;
  filter: string;
  onFilter: (text: string) => void;
  onSelect: (cell: RoleCell) => void;
}) {
  const report = probe?.last ?? null;
  const [chosenLook, setLook] = useState<'words' | 'marks' | null>(null);
  const { ref: room, narrow } = useIsNarrow(roomForWords(chapter?.roles.length ?? 0));
  const look = chosenLook ?? (narrow ? 'marks' : 'words');
  const { shown, more } = useIncrementalList(
    groups,
    portion,
    groups.findIndex(({ entity }) => entity === selected?.entity),
  );
  return (
    <Figure
      number="Table 6.1"
      caption={
        <span className={styles.legend}>
          <Verdict of="always" />
          <Verdict of="when" />
          <Verdict of="never" />
          {report !== null && report.disagree > 0 && <Verdict of="disagrees" />}
        </span>
      }
      tools={
        <>
          <span className={styles.wide}>
            <Segmented
              label="What a cell shows"
              value={look}
              options={[
                ['words', 'Words'],
                ['marks', 'Marks'],
              ]}
              onChange={setLook}
            />
          </span>
          <ProbeAll appRef={appRef} running={progress(probe?.running)} />
          <FilterField label="Filter entities" value={filter} onChange={onFilter} />
        </>
      }
    >
      {pending ? (
        <Table label="Roles">
          <thead className={styles.head}>
            <tr>
              <th colSpan={5}>Entity and operation</th>
            </tr>
          </thead>
          <tbody>
            <LoadingRows rows={12} widths={[90, 40, 60, 90, 60]} />
          </tbody>
        </Table>
      ) : (
        chapter && (
          <div ref={room}>
            <RoleMatrix
              roles={chapter.roles}
              groups={shown}
              words={look === 'words'}
              narrow={narrow}
              probed={probed}
              selected={selected}
              onSelect={onSelect}
            />
          </div>
        )
      )}
      <TruncationNotice shown={shown.length} all={groups.length} what="entities and functions" onMore={more} />
      {groups.length < all.length && (
        <p className={styles.hidden}>
          {count(all.length - groups.length)} of {count(all.length)} are hidden by the filter “{filter}”.
        </p>
      )}
    </Figure>
  );
}

const none: readonly never[] = [];

/** Number of entities and functions drawn at first: more than fit into any window. */
const portion = 40;

/** Button that probes every cell and shows the progress. */
function ProbeAll({ appRef, running }: { appRef: string; running: string | null }) {
  const { mutate, isPending, error } = useMutation(startProbe(appRef));
  return (
    <>
      {error && <FailureNote facts={failureFacts(error)} />}
      <Button
        small
        icon={IconRefresh}
        busy={running ?? (isPending && 'Probing')}
        title="Try every cell, in transactions that are rolled back"
        onClick={() => mutate()}
      >
        Probe all
      </Button>
    </>
  );
}

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

/**
 * Answers the question of the chapter: "5 roles have 150 cells: 68 always, 20 when a condition holds, 62 never. Every
 * cell was tried 4 minutes ago; 1 disagrees."
 */
function Answer({
  chapter: { roles, cells },
  report,
  current,
}: {
  chapter: RolesChapter;
  report: ProbeReport | null;
  /** True if the report belongs to the specification that the page shows. */
  current: boolean;
}) {
  const { always, when, never } = tally(cells);
  const open = cells.filter(({ role, verdict }) => role === 'anon' && verdict !== 'never').length;
  const proof = (text: string, bad = false) => (
    <a className={bad ? badFigureClass : liveValueClass} href="#table-6-1">
      <FlashOnChange value={text}>{text}</FlashOnChange>
    </a>
  );
  return (
    <>
      {proof(counted(roles.length, 'role'))} {roles.length === 1 ? 'has' : 'have'}{' '}
      {proof(counted(cells.length, 'cell'))}
      {cells.length > 0 && (
        <>
          : {proof(`${count(always)} always`)}, {proof(`${count(when)} when`)} a condition holds,{' '}
          {proof(`${count(never)} never`)}
        </>
      )}
      . Without a session, {open === 0 ? 'nothing is' : proof(`${count(open)} ${open === 1 ? 'is' : 'are'}`)} open.
      {report !== null && (
        <>
          {' '}
          {report.not_probed === 0 ? 'Every cell was' : proof(`${count(report.agree + report.disagree)} were`)} tried{' '}
          <TimeAgo iso={report.finished_at} />
          {!current && ', before the last change'};{' '}
          {report.disagree === 0
            ? 'none disagrees'
            : proof(`${count(report.disagree)} ${report.disagree === 1 ? 'disagrees' : 'disagree'}`, true)}
          .
        </>
      )}
    </>
  );
}
