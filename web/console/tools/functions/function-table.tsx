import type { EdgeFunction } from '../../../../contract/functions.ts';
import { classNames } from '../../../ui/class-names.ts';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';
import { rowClass, Table } from '../../../ui/table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, milliseconds } from '../../format/format.ts';
import { activeVersion, callerWords } from './function-words.ts';
import styles from './functions.module.css';

/** Size of the chart of a row, in px. */
const CHART = { width: 72, height: 12 };

/** The functions with their figures of 24 hours. A click opens the panel of a function. */
export function FunctionTable({
  functions,
  chosen,
  isStale,
  onChoose,
}: {
  functions: readonly EdgeFunction[];
  chosen: string | null;
  isStale: boolean;
  onChoose: (name: string) => void;
}) {
  return (
    <div className={styles.table} id="functions">
      <ScrollFrame>
        <Table label="Functions" stale={isStale}>
          <thead>
            <tr>
              <th scope="col">Function</th>
              <th scope="col" className="num">
                Calls, 24 h
              </th>
              <th scope="col" className={styles.wide}>
                <span className="sr">Calls of each hour</span>
              </th>
              <th scope="col" className="num">
                Failed
              </th>
              <th scope="col" className={classNames('num', styles.wide)}>
                Cold start
              </th>
              <th scope="col" className="num">
                Warm, half
              </th>
            </tr>
          </thead>
          <tbody>
            {functions.map((each) => (
              <Row key={each.name} of={each} isChosen={each.name === chosen} onChoose={onChoose} />
            ))}
          </tbody>
        </Table>
      </ScrollFrame>
    </div>
  );
}

function Row({
  of: one,
  isChosen,
  onChoose,
}: {
  of: EdgeFunction;
  isChosen: boolean;
  onChoose: (name: string) => void;
}) {
  const { name, calls } = one;
  const duration = (value: number | null) => (value === null ? '–' : milliseconds(value));
  return (
    <tr className={rowClass} data-selected={isChosen || undefined} onClick={() => onChoose(name)}>
      <td className={styles.name}>
        <button type="button" className={styles.open} aria-current={isChosen || undefined}>
          {name}
        </button>
        {!activeVersion(one) && <Tag kind="warn">off</Tag>}
        <span className={styles.under}>
          {callerWords(one)} · /functions/v1/{name}
        </span>
      </td>
      <td className="num">{count(calls.count)}</td>
      <td className={classNames(styles.chart, styles.wide)}>
        <Sparkline values={calls.hours} {...CHART} />
      </td>
      <td className={classNames('num', calls.failed > 0 ? styles.failed : 'soft')}>{count(calls.failed)}</td>
      <td className={classNames('num', styles.wide)}>{duration(calls.start)}</td>
      <td className="num">{duration(calls.median)}</td>
    </tr>
  );
}
