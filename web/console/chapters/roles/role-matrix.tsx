import {
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  memo,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { shortCell } from '../../../../contract/cell-words.ts';
import type { ProbedCell } from '../../../../contract/probe.ts';
import type { RoleCell, RoleEntry } from '../../../../contract/specification-roles.ts';
import { classNames } from '../../../ui/class-names.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { Verdict, VerdictMark } from '../../../ui/verdict.tsx';
import { aboutRows } from '../../format/format.ts';
import { useScrollToSelected } from '../list/list-hooks.ts';
import { cellKey, type MatrixGroup, step } from './matrix.ts';
import { disagreement } from './probe-words.ts';
import styles from './role-matrix.module.css';
import { roleWords, shortRoleWords } from './role-text.ts';

/**
 * Returns the minimum width in px of a matrix with words in its cells: the row headings, and a column for each role.
 */
export const roomForWords = (roles: number): number => 204 + 108 * roles;

interface RoleMatrixProps {
  roles: readonly RoleEntry[];
  groups: readonly MatrixGroup[];
  words: boolean;
  /**
   * True if the table is too narrow for words. The names of the roles are then vertical, and the cells contain only
   * marks.
   */
  narrow: boolean;
  /** Results of the probe, by the key of the cell. */
  probed: ReadonlyMap<string, ProbedCell>;
  selected: RoleCell | null;
  /** Heading of the first column. */
  heading?: string;
  onSelect: (cell: RoleCell) => void;
}

/**
 * Table of roles and operations, whose cells are buttons. One cell is in the tab order; arrows, Home and End move
 * between cells. A click shows the cell in the panel. With `words`, the cell contains its condition; otherwise only its
 * mark.
 */
export function RoleMatrix({
  roles,
  groups,
  words,
  narrow,
  probed,
  selected,
  heading = 'Entity and operation',
  onSelect,
}: RoleMatrixProps) {
  const grid = useRef<HTMLTableElement>(null);
  const drawn = useDeferredValue(groups, selected === null ? beginningOf(groups) : groups);
  const rows = useMemo(() => drawn.flatMap((group) => group.rows), [drawn]);
  const [at, setAt] = useState<readonly [row: number, column: number]>([0, 0]);
  const memberRoles = useMemo(() => roles.flatMap(({ member_role }) => member_role ?? []), [roles]);
  const selectedKey = selected && cellKey(selected);

  // Marks are narrower than words, so the position of the cell depends on `words`.
  useScrollToSelected(grid, '[aria-pressed="true"]', selectedKey && `${selectedKey} ${words}`);

  const move = useRef<(event: KeyboardEvent) => void>(() => {});
  useEffect(() => {
    move.current = (event) => {
      const to = step(event.key, at, rows.length, roles.length);
      if (to === null) return;
      event.preventDefault();
      setAt(to);
      grid.current?.querySelector<HTMLElement>(`[data-at="${to.join()}"]`)?.focus();
    };
  }, [at, rows, roles]);
  const onKeyDown = useCallback((event: KeyboardEvent) => move.current(event), []);
  const onReach = useCallback((row: number, column: number) => setAt([row, column]), []);
  const starts = useMemo(() => {
    let before = 0;
    return drawn.map((group) => {
      before += group.rows.length;
      return before - group.rows.length;
    });
  }, [drawn]);

  return (
    <ScrollFrame>
      <table
        ref={grid}
        className={classNames(styles.matrix, !words && styles.marks, narrow && styles.narrow)}
        aria-label="Roles, entities and operations"
        style={{ '--roles': roles.length } as CSSProperties}
      >
        <Head heading={heading} roles={roles} selected={selected?.role} />
        {drawn.map((group, place) => (
          <Group
            key={group.entity}
            group={group}
            memberRoles={memberRoles}
            start={starts[place] ?? 0}
            at={within(at, starts[place] ?? 0, group.rows.length)}
            probed={probed}
            selected={selected?.entity === group.entity ? selected : null}
            onSelect={onSelect}
            onReach={onReach}
            onKeyDown={onKeyDown}
          />
        ))}
      </table>
    </ScrollFrame>
  );
}

/** The columns of the matrix with their headings. */
function Head({
  heading,
  roles,
  selected,
}: {
  heading: string;
  roles: readonly RoleEntry[];
  selected: string | undefined;
}) {
  return (
    <>
      <colgroup>
        <col className={styles.entityColumn} />
        <col className={styles.operationColumn} />
        {roles.map(({ name }) => (
          <col key={name} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <th colSpan={2} scope="col">
            {heading}
          </th>
          {roles.map((role) => (
            <th
              key={role.name}
              scope="col"
              className={classNames(selected === role.name && styles.hot)}
              title={roleWords(role)}
            >
              <span className={styles.role}>{role.name}</span>
              <span className={styles.under}>{shortRoleWords(role)}</span>
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

/**
 * Returns the groups that are drawn before the first paint: more rows than fit into any window. The rest follows
 * without blocking the page.
 */
function beginningOf(groups: readonly MatrixGroup[]): readonly MatrixGroup[] {
  let rows = 0;
  const end = groups.findIndex((group) => {
    rows += group.rows.length;
    return rows > 48;
  });
  return end < 0 ? groups : groups.slice(0, Math.max(1, end));
}

/** Returns the cell in the tab order as "row,column" if it is in the `rows` rows from `start`, otherwise null. */
const within = ([row, column]: readonly [number, number], start: number, rows: number): string | null =>
  row >= start && row < start + rows ? `${row},${column}` : null;

/** The rows of one entity or function. They are drawn again only if their own properties change. */
const Group = memo(function Group({
  group,
  memberRoles,
  start,
  at,
  probed,
  selected,
  onSelect,
  onReach,
  onKeyDown,
}: {
  group: MatrixGroup;
  /** Names of the roles of members. */
  memberRoles: readonly string[];
  /** Index of the first row among all rows. */
  start: number;
  at: string | null;
  probed: ReadonlyMap<string, ProbedCell>;
  selected: RoleCell | null;
  onSelect: (cell: RoleCell) => void;
  onReach: (row: number, column: number) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  return (
    <tbody>
      {group.rows.map((row, place) => (
        <tr key={row.operation} className={place === group.rows.length - 1 ? styles.last : undefined}>
          {place === 0 && <GroupHead group={group} />}
          <th scope="row" className={classNames(styles.operation, selected?.operation === row.operation && styles.hot)}>
            {row.operation}
          </th>
          {row.cells.map((cell, column) => {
            const met = probed.get(cellKey(cell));
            const against = met?.outcome === 'disagrees' ? met : null;
            const here = `${start + place},${column}`;
            return (
              <td key={cell.role} className={classNames(styles.cell, against && styles.against)}>
                <button
                  type="button"
                  data-at={here}
                  tabIndex={at === here ? 0 : -1}
                  aria-pressed={selected?.operation === cell.operation && selected.role === cell.role}
                  onFocus={() => onReach(start + place, column)}
                  onClick={() => onSelect(cell)}
                  onKeyDown={onKeyDown}
                >
                  {against ? (
                    <Verdict of="disagrees" words={disagreement(against)} />
                  ) : (
                    <CellVerdict cell={cell} roles={memberRoles} />
                  )}
                </button>
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
});

/** Shows the words of a cell, which break only after a comma. */
const Words = ({ words }: { words: string }) => (
  <span className={styles.words}>
    {words.split(/(?<=,) /).map((part) => (
      <Fragment key={part}>
        <span>{part}</span>{' '}
      </Fragment>
    ))}
  </span>
);

/** Shows the mark of a verdict and its words. A cell that no call can use has only the mark. */
function CellVerdict({ cell, roles }: { cell: RoleCell; roles: readonly string[] }) {
  const words = shortCell(cell, roles);
  if (words !== null) return <Verdict of={cell.verdict} words={<Words words={words} />} />;
  return (
    <>
      <VerdictMark of="never" />
      <span className="sr">never</span>
    </>
  );
}

/** Heading of an entity or function. */
function GroupHead({ group: { name, rows, rowsEstimate, argumentTypes } }: { group: MatrixGroup }) {
  return (
    <th scope="rowgroup" rowSpan={rows.length} className={styles.entity}>
      <div className={styles.stay}>
        <code title={argumentTypes === null ? name : `${name}(${argumentTypes})`}>{name}</code>
        {rowsEstimate !== null && <span className={styles.under}>{aboutRows(rowsEstimate)}</span>}
      </div>
    </th>
  );
}
