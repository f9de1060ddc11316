import type { CallEntry } from '../../../../contract/specification.ts';
import { groupClass, LoadingRows, rowClass, Table } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import { CutLine } from '../cut-line.tsx';
import { usePortion } from '../use-portion.ts';
import styles from './call-table.module.css';

const portion = 200;
const headings: Readonly<Record<CallEntry['area'], string>> = {
  auth: 'Sign-in and sessions',
  rest: 'Rows',
  rpc: 'Functions',
};

/** A row a call, grouped by area; a press tells it in full in the panel. */
export function CallTable({
  calls,
  all,
  filter,
  stale,
  selected,
  onSelect,
}: {
  /** Those that the filter lets through; missing while nothing is known. */
  calls: readonly CallEntry[] | undefined;
  all: number;
  filter: string;
  stale: boolean;
  selected: CallEntry | null;
  onSelect: (call: CallEntry) => void;
}) {
  const { shown, more } = usePortion(calls ?? [], portion, selected ? (calls ?? []).indexOf(selected) : -1);
  const areas = [...new Set(shown.map(({ area }) => area))];
  return (
    <>
      <Table label="Calls" stale={stale}>
        <thead>
          <tr>
            <th className={styles.method}>Method</th>
            <th>Path</th>
            <th className={styles.words}>What it does</th>
            <th className={styles.wide}>For</th>
          </tr>
        </thead>
        {calls ? (
          areas.map((area) => (
            <tbody key={area}>
              <tr className={groupClass}>
                <th colSpan={4} scope="rowgroup">
                  {headings[area]}
                </th>
              </tr>
              {shown
                .filter((call) => call.area === area)
                .map((call) => (
                  <Row key={call.id} call={call} selected={call === selected} onSelect={onSelect} />
                ))}
            </tbody>
          ))
        ) : (
          <tbody>
            <LoadingRows rows={10} widths={[32, 160, 200, 120]} />
          </tbody>
        )}
      </Table>
      {calls && <CutLine shown={shown.length} all={calls.length} what="calls" onMore={more} />}
      {calls && calls.length < all && (
        <p className={styles.hidden}>
          {counted(all - calls.length, 'call')} hidden by the filter “{filter}”.
        </p>
      )}
    </>
  );
}

function Row({
  call,
  selected,
  onSelect,
}: {
  call: CallEntry;
  selected: boolean;
  onSelect: (call: CallEntry) => void;
}) {
  return (
    <tr className={rowClass} data-selected={selected || undefined} onClick={() => onSelect(call)}>
      <td className={styles.method}>{call.method}</td>
      <td className={styles.path}>
        <button type="button" aria-pressed={selected} aria-label={`${call.method} ${call.path}`}>
          <code>{call.path}</code>
        </button>
      </td>
      <td className={styles.words} title={call.summary}>
        {call.summary}
      </td>
      <td className={styles.wide}>
        {call.roles.length > 0 ? call.roles.join(', ') : <span className="soft">nobody</span>}
      </td>
    </tr>
  );
}
