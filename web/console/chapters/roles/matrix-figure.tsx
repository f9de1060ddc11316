import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type RefCallback, useCallback, useState } from 'react';
import type { ProbeState } from '../../../../contract/probe.ts';
import type { RoleCell, RolesChapter } from '../../../../contract/specification-roles.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { count } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { startProbe } from '../../queries/probe.ts';
import { FilterField } from '../list/filter-field.tsx';
import { useIncrementalList } from '../list/list-hooks.ts';
import { TruncationNotice } from '../list/truncation-notice.tsx';
import type { matrixOf } from './matrix.ts';
import { type probedCells, progress } from './probe-words.ts';
import { RoleMatrix, roomForWords } from './role-matrix.tsx';
import styles from './roles.module.css';

/** Number of entities and functions drawn at first: more than fit into any window. */
const portion = 40;

interface MatrixFigureProps {
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
}

/** Table 6.1: the matrix of roles and entities, with its filter and the probe. */
export function MatrixFigure({
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
}: MatrixFigureProps) {
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
          <span className={styles.rolesPageWide}>
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
        <Waiting />
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

const Waiting = () => (
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
);

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

/**
 * Returns whether an element is narrower than a width in px. The value is known before the first paint.
 * @returns the ref of the element, which must fill the width of its parent, and the value
 */
function useIsNarrow(min: number): { ref: RefCallback<HTMLElement>; narrow: boolean } {
  const [narrow, setNarrow] = useState(false);
  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return;
      const look = () => setNarrow(element.clientWidth < min);
      look();
      const observer = new ResizeObserver(look);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [min],
  );
  return { ref, narrow };
}
