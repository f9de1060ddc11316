import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { RoleCell, RolesChapter } from '../../../../contract/specification.ts';
import { Empty } from '../../../ui/empty.tsx';
import { figureClass } from '../../../ui/fig.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { count, counted } from '../../format/format.ts';
import { useNeighbours } from '../../keys/use-neighbours.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { CutLine } from '../list/cut-line.tsx';
import { FilterField } from '../list/filter-field.tsx';
import { useChosen } from '../list/use-chosen.ts';
import { usePortion } from '../list/use-portion.ts';
import { useChapter } from '../use-chapter.ts';
import { CellPanel } from './cell-panel.tsx';
import { cellKey, matrixOf, tally } from './matrix.ts';
import { PolicyTable } from './policy-table.tsx';
import { RoleMatrix } from './role-matrix.tsx';
import styles from './roles-page.module.css';

const changes = [
  'Write a policy in SQL and keep it as a migration',
  <span key="grant">
    Give or take a right with <code>grant</code> and <code>revoke</code>
  </span>,
  <span key="comment">
    Change the words of a cell with <code>comment on policy</code>
  </span>,
];

/** Chapter 6: who may do what, from grants and policies. */
export function RolesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/roles' });
  const [chosen, choose] = useChosen('cell');
  const { chapter, pending } = useChapter(ref, 'roles');
  const { chapter: entitiesChapter } = useChapter(ref, 'entities');
  const [look, setLook] = useState<'words' | 'marks'>('words');
  const [filter, setFilter] = useState('');

  const entities = entitiesChapter?.entities;
  const all = useMemo(() => (chapter ? matrixOf(chapter, entities ?? []) : []), [chapter, entities]);
  const groups = useMemo(() => all.filter(({ name }) => name.includes(filter.trim())), [all, filter]);
  const selected = chapter?.cells.find((cell) => cellKey(cell) === chosen) ?? null;

  const select = useCallback((cell: RoleCell) => choose(cellKey(cell)), [choose]);
  const close = useCallback(() => choose(null), [choose]);
  const { shown, more } = usePortion(
    groups,
    100,
    groups.findIndex(({ entity }) => entity === selected?.entity),
  );
  const down = useMemo(
    () =>
      groups
        .flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.filter((cell) => cell.role === selected?.role)))
        .map((cell) => ({ id: cellKey(cell) })),
    [groups, selected],
  );
  const { previous, next } = useNeighbours(down, chosen, choose);
  const role = chapter?.roles.find(({ name }) => name === selected?.role);

  return (
    <ChapterPage
      appRef={ref}
      chapter="roles"
      answer={chapter && <Answer chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={changes}
      panel={
        chapter &&
        selected &&
        role && (
          <CellPanel
            appRef={ref}
            cell={selected}
            role={role}
            policies={chapter.policies.filter(
              ({ entity, name }) => entity === selected.entity && selected.policies.includes(name),
            )}
            entity={entities?.find(({ id }) => id === selected.entity)}
            onClose={close}
            onPrevious={previous}
            onNext={next}
          />
        )
      }
    >
      {chapter?.cells.length === 0 ? (
        <Empty title="No cell yet">
          <p>The first table or function of an exposed schema makes the first row of this matrix.</p>
        </Empty>
      ) : (
        <>
          <Figure
            number="Table 6.1"
            caption={
              <span className={styles.legend}>
                <Verdict of="always" />
                <Verdict of="when" />
                <Verdict of="never" />
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
                <FilterField label="Filter entities" value={filter} onChange={setFilter} />
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
                <RoleMatrix
                  roles={chapter.roles}
                  groups={shown}
                  words={look === 'words'}
                  selected={selected}
                  onSelect={select}
                />
              )
            )}
            <CutLine shown={shown.length} all={groups.length} what="entities and functions" onMore={more} />
            {groups.length < all.length && (
              <p className={styles.hidden}>
                {count(all.length - groups.length)} of {count(all.length)} are hidden by the filter “{filter}”.
              </p>
            )}
          </Figure>
          {chapter && chapter.policies.length > 0 && <PolicyTable appRef={ref} policies={chapter.policies} />}
        </>
      )}
    </ChapterPage>
  );
}

/** "3 roles hold 102 cells: 46 always, 10 when a condition holds, 46 never. Without a session, 4 are open." */
function Answer({ chapter: { roles, cells } }: { chapter: RolesChapter }) {
  const { always, when, never } = tally(cells);
  const open = cells.filter(({ role, verdict }) => role === 'anon' && verdict !== 'never').length;
  const proof = (text: string) => (
    <a className={figureClass} href="#table-6-1">
      {text}
    </a>
  );
  return (
    <>
      {proof(counted(roles.length, 'role'))} {roles.length === 1 ? 'holds' : 'hold'}{' '}
      {proof(counted(cells.length, 'cell'))}
      {cells.length > 0 && (
        <>
          : {proof(`${count(always)} always`)}, {proof(`${count(when)} when`)} a condition holds,{' '}
          {proof(`${count(never)} never`)}
        </>
      )}
      . Without a session, {open === 0 ? 'nothing is' : proof(`${count(open)} ${open === 1 ? 'is' : 'are'}`)} open.
    </>
  );
}
