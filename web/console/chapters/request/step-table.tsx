import { classNames } from '../../../ui/class-names.ts';
import { Figure } from '../../../ui/figure.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { milliseconds } from '../../format/format.ts';
import styles from './request.module.css';
import { type StepKind, type StepLine, scaleMarks, stepTime } from './request-words.ts';

const legend: readonly (readonly [StepKind, string])[] = [
  ['server', 'server'],
  ['database', 'PostgreSQL'],
  ['ended', 'where it ended'],
];

/** Table of the steps of a request on one time scale: start, duration and result of each step. */
export function StepTable({
  number,
  lines,
  all,
  usual,
}: {
  number: string;
  /** Undefined until the steps are loaded. */
  lines: readonly StepLine[] | undefined;
  /** Duration of the complete request, in ms. */
  all: number;
  usual: { p50_ms: number | null; p99_ms: number | null };
}) {
  const end = Math.max(all, ...(lines ?? []).map(({ time }) => (time ? time.from + time.took : 0)));
  const share = (value: number) => `${end > 0 ? ((value / end) * 100).toFixed(2) : 0}%`;
  return (
    <Figure
      number={number}
      caption="Every step, in milliseconds"
      tools={
        <span className={styles.legend}>
          {legend.map(([kind, words]) => (
            <span key={kind}>
              <i className={classNames(styles.sign, styles[kind])} />
              {words}
            </span>
          ))}
        </span>
      }
    >
      <div className={styles.room}>
        <Table label="Steps of the call">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" className={`num ${styles.wide}`}>
                From
              </th>
              <th scope="col" className="num">
                Took
              </th>
              <th scope="col" className={styles.scale}>
                <span className="sr">Share</span>
                <span className={styles.ruler} aria-hidden="true">
                  {scaleMarks(end).map((mark) => (
                    <span key={mark} style={{ left: share(mark) }}>
                      {mark}
                    </span>
                  ))}
                </span>
              </th>
              <th scope="col" className={`${styles.found} ${styles.wide}`}>
                Result
              </th>
            </tr>
          </thead>
          <tbody>
            {!lines && <LoadingRows rows={8} widths={[120, 30, 30, 120, 160]} />}
            {lines?.map((line) => (
              <Step key={line.key} line={line} share={share} />
            ))}
            {lines && (
              <tr>
                <th scope="row" className={styles.sum}>
                  In all
                </th>
                <td className={styles.wide} />
                <td className={`num ${styles.sum}`}>{stepTime(all)}</td>
                <td />
                <td className={`soft ${styles.wide}`}>{usualWords(usual)}</td>
              </tr>
            )}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}

/** Row of a step. */
function Step({ line: { name, time, kind, found }, share }: { line: StepLine; share: (value: number) => string }) {
  return (
    <tr data-selected={kind === 'ended' || undefined}>
      <td className={classNames(styles.name, time === null && styles.sub)} title={name}>
        {name}
      </td>
      <td className={`num soft ${styles.wide}`}>{time && stepTime(time.from)}</td>
      <td className="num">{time ? stepTime(time.took) : <span className="soft">within</span>}</td>
      <td>
        <span className={styles.track} aria-hidden="true">
          {time && (
            <i
              className={styles[kind]}
              style={{ left: `min(${share(time.from)}, 100% - 2px)`, width: share(time.took) }}
            />
          )}
        </span>
      </td>
      <td className={classNames(styles.found, styles.wide, kind === 'ended' && styles.bad)} title={found}>
        {found}
      </td>
    </tr>
  );
}

const usualWords = ({ p50_ms, p99_ms }: { p50_ms: number | null; p99_ms: number | null }): string =>
  p50_ms === null || p99_ms === null
    ? ''
    : `in the last hour p50 of this call ${milliseconds(p50_ms)}, p99 ${milliseconds(p99_ms)}`;
