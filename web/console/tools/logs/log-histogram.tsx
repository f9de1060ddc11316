import { type PointerEvent, useRef, useState } from 'react';
import type { LogSummary } from '../../../../contract/observed.ts';
import { count, dayOf, duration, hour, timeOfDay } from '../../format/format.ts';
import styles from './logs-page.module.css';

const HEIGHT = 60;

/**
 * Shows the requests of a period over time, with one bar for each step of time. Refused and failed requests are at the
 * foot of a bar. Dragging over the bars chooses a period; with the keyboard, the dialog of the toolbar does so.
 */
export function LogHistogram({
  summary,
  onChoose,
}: {
  summary: LogSummary | undefined;
  onChoose: (from: string, to: string) => void;
}) {
  const chart = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const { ok = [], refused = [], failed = [] } = summary?.points ?? {};
  const length = Math.max(1, ok.length);
  const from = Date.parse(summary?.from ?? '') || 0;
  const step = (summary?.step_seconds ?? 60) * 1000;
  const time = (place: number) => new Date(Math.min(from + place * step, Date.parse(summary?.to ?? '') || 0));
  const placeOf = ({ clientX }: PointerEvent) => {
    const box = chart.current?.getBoundingClientRect();
    return box ? Math.max(0, Math.min(length - 1, Math.floor(((clientX - box.left) / box.width) * length))) : 0;
  };
  const [first, last] = drag ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to) + 1] : [0, 0];
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const isLong = length * step > 2 * 86_400_000;
  const label = (at: Date) => {
    const iso = at.toISOString();
    return isLong ? dayOf(iso) : length * step < 300_000 ? timeOfDay(iso) : hour(iso);
  };
  return (
    <figure className={styles.figure} aria-label="Requests over time">
      <figcaption className={styles.legend}>
        <span className={styles.unit}>Requests per {duration(step).replace(/^1 /, '')}</span>
        <span className={styles.key} data-kind="ok">
          2xx, 3xx {summary && count(sum(ok))}
        </span>
        <span className={styles.key} data-kind="refused">
          4xx {summary && count(sum(refused))}
        </span>
        <span className={styles.key} data-kind="failed">
          5xx {summary && count(sum(failed))}
        </span>
        <span className={styles.hint}>
          {drag && summary ? `${label(time(first))} to ${label(time(last))}` : 'Drag over the bars to choose a time'}
        </span>
      </figcaption>
      <svg
        ref={chart}
        className={styles.chart}
        viewBox={`0 0 ${length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={(event) => {
          if (!summary || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: placeOf(event), to: placeOf(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ from: drag.from, to: placeOf(event) })}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          if (drag) onChoose(time(first).toISOString(), time(last).toISOString());
          setDrag(null);
        }}
      >
        {drag && <rect className={styles.drag} x={first * 10} width={(last - first) * 10} height={HEIGHT} y={0} />}
        {summary && <Bars points={summary.points} from={from} step={step} />}
      </svg>
      {summary && (
        <div className={styles.axis} aria-hidden="true">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part}>{label(time(part * length))}</span>
          ))}
        </div>
      )}
    </figure>
  );
}

/** One bar for each step of time: the failed and the refused requests at its foot, all other requests above. */
function Bars({
  points: { ok, refused, failed },
  from,
  step,
}: {
  points: LogSummary['points'];
  /** Beginning of the period and length of one step of time, in milliseconds. */
  from: number;
  step: number;
}) {
  const total = (place: number) => (ok[place] ?? 0) + (refused[place] ?? 0) + (failed[place] ?? 0);
  const max = Math.max(1, ...ok.map((_, place) => total(place)));
  return ok.map((_, place) => {
    const at = from + place * step;
    const high = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / max) * (HEIGHT - 6)));
    const bars = [
      ['failed', high(failed[place] ?? 0)],
      ['refused', high(refused[place] ?? 0)],
      ['ok', high(ok[place] ?? 0)],
    ] as const;
    let top = HEIGHT;
    return bars.map(([kind, tall]) => {
      top -= tall;
      return tall === 0 ? null : (
        <rect key={`${kind} ${at}`} data-kind={kind} x={place * 10 + 1} width={8} y={top} height={tall} />
      );
    });
  });
}

/** Returns the average number of requests a minute at the end of a period. The last point is incomplete. Pure. */
export function perMinute({ points, step_seconds }: LogSummary): number {
  const { ok, refused, failed } = points;
  const length = Math.max(1, Math.ceil(60 / step_seconds));
  const all = ok.map((value, place) => value + (refused[place] ?? 0) + (failed[place] ?? 0));
  const last = all.slice(-1 - length, -1);
  const seconds = Math.max(1, last.length) * step_seconds;
  return Math.round((last.reduce((sum, value) => sum + value, 0) / seconds) * 60);
}
