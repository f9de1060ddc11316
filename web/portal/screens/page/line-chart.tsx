import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { dateFormat } from '../../../language/messages.ts';
import { distinctKeys } from '../../../ui/distinct-keys.ts';
import styles from './line-chart.module.css';
import { scaleOf, separated } from './scale.ts';

/** Measures in px. The labels of the axis stand above its lines, and the names of lines at their end. */
const HEIGHT = 206;
const TOP = 20;
const BOTTOM = 26;
const NARROW = 560;
const GAP = 10;
const LETTER = 7;
const DASH = 8;
const MAX_NAME = { wide: 150, narrow: 84 } as const;
const TOOLTIP = 200;
const MAX_DATES = { wide: 5, narrow: 2 } as const;

/** The colours of lines, in their order. */
const colours = ['var(--d-1)', 'var(--d-3)', 'var(--d-2)', 'var(--d-5)', 'var(--d-4)'] as const;

export interface ChartLine {
  /** Name of the line; empty for a single line, which the title names. */
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  title: string;
  times: readonly Date[];
  dayText: (time: Date) => string;
  lines: readonly ChartLine[];
  /** True if all values are whole numbers. */
  isWhole: boolean;
  format: (value: number | null) => string;
}

/** Chart of lines over days. The pointer and the arrow keys read the values of a day. */
export function LineChart({ title, times, dayText, lines, isWhole, format }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const last = times.length - 1;
  const names = lines.map(({ label, values }) => nameOf(label, format(values.at(-1) ?? null), width < NARROW));
  const plot = plotWidth(width, names);
  const { read, handlers } = useReader(last, plot);
  const scale = scaleOf(
    lines.flatMap(({ values }) => values.filter((value) => value !== null)),
    isWhole,
  );
  const x = (i: number) => (last === 0 ? 0 : (i / last) * plot);
  const y = (value: number) => TOP + ((scale.max - value) / (scale.max - scale.min)) * (HEIGHT - TOP - BOTTOM);
  const keys = distinctKeys(lines.map(({ label }) => label));
  const wordsAt = (i: number) => {
    const values = lines.map((line) => [line.label, format(line.values[i] ?? null)].filter(Boolean).join(' '));
    return `${dayText(times[i] ?? new Date(0))}: ${values.join(', ')}`;
  };
  return (
    <div
      ref={frame}
      dir="ltr"
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={read ?? last}
      aria-valuetext={wordsAt(read ?? last)}
      {...handlers}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <Axes times={times} scale={scale} plot={plot} isNarrow={width < NARROW} {...{ x, y, format }} />
          {read !== null && <path className={styles.reader} d={`M${x(read)} ${TOP - GAP}V${HEIGHT - BOTTOM}`} />}
          {lines.map(({ values }, i) => (
            <path key={keys[i]} className={styles.line} stroke={colours[i]} d={pathOf(values, x, y)} />
          ))}
          {lines.map(({ values }, i) => {
            const value = read === null ? null : values[read];
            return value == null ? null : (
              <circle key={keys[i]} cx={x(read ?? 0)} cy={y(value)} r={4} fill={colours[i]} />
            );
          })}
          <Names names={names} places={lines.map(({ values }) => y(values.at(-1) ?? 0))} left={plot + GAP} />
        </svg>
      )}
      {read !== null && (
        <div className={styles.tooltip} style={{ left: x(read) > width - TOOLTIP ? x(read) - TOOLTIP : x(read) + GAP }}>
          <b>{dayText(times[read] ?? new Date(0))}</b>
          {lines.map(({ label, values }, i) => (
            <span key={keys[i]}>
              <i style={{ background: colours[i] }} />
              <bdi className="cut">{label || title}</bdi>
              <span>{format(values[read] ?? null)}</span>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** Returns the width of the lines: that of the chart without the names at their ends. */
function plotWidth(width: number, names: readonly string[]): number {
  const longest = Math.max(...names.map(({ length }) => length), 0) * LETTER;
  const room = Math.min(width < NARROW ? MAX_NAME.narrow : MAX_NAME.wide, longest);
  return Math.max(1, width - room - GAP - 2 * DASH);
}

/** Returns the point that the pointer or the keyboard reads, and the handlers that choose it. */
function useReader(last: number, plot: number) {
  const [chosen, setChosen] = useState<number | null>(null);
  const choose = (place: number) => setChosen(Math.max(0, Math.min(last, place)));
  const read = chosen === null ? null : Math.min(chosen, last);
  const onPointer = (event: PointerEvent<HTMLElement>) =>
    choose(Math.round(((event.clientX - event.currentTarget.getBoundingClientRect().left) / plot) * last));
  const handlers = {
    onPointerMove: onPointer,
    onPointerDown: onPointer,
    onPointerLeave: () => setChosen(null),
    onBlur: () => setChosen(null),
    onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => currentTarget.matches(':focus-visible') && choose(last),
    onKeyDown: (event: KeyboardEvent) => {
      const at = read ?? last;
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (event.key === 'Escape') setChosen(null);
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
    },
  };
  return { read, handlers };
}

/** The lines and the values of the axes. */
function Axes({
  times,
  scale,
  plot,
  isNarrow,
  x,
  y,
  format,
}: {
  times: readonly Date[];
  scale: ReturnType<typeof scaleOf>;
  plot: number;
  isNarrow: boolean;
  x: (i: number) => number;
  y: (value: number) => number;
  format: (value: number) => string;
}) {
  const last = times.length - 1;
  const step = Math.max(1, Math.ceil(times.length / (isNarrow ? MAX_DATES.narrow : MAX_DATES.wide)));
  const dates = isNarrow ? [0, last] : times.map((_, i) => i).filter((i) => i % step === 0);
  return (
    <>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <path className={styles.axis} d={`M0 ${y(tick)}H${plot}`} />
          <text x={0} y={y(tick) - 5}>
            {format(tick)}
          </text>
        </g>
      ))}
      <path className={styles.base} d={`M0 ${y(0)}H${plot}`} />
      {[...new Set(dates)].map((i) => (
        <text key={i} x={x(i)} y={HEIGHT - 6} textAnchor={i === 0 ? 'start' : i === last ? 'end' : 'middle'}>
          {dateFormat({ day: 'numeric', month: 'short' }).format(times[i])}
        </text>
      ))}
    </>
  );
}

/** The names of the lines at their ends. */
function Names({ names, places, left }: { names: readonly string[]; places: readonly number[]; left: number }) {
  const moved = separated(places, HEIGHT - BOTTOM);
  return distinctKeys(names).map((key, i) => {
    const place = moved[i] ?? 0;
    return (
      <g key={key}>
        <path className={styles.line} stroke={colours[i]} d={`M${left} ${place}h${DASH}`} />
        <text className={styles.name} x={left + DASH + DASH / 2} y={place + 4}>
          {names[i]}
        </text>
      </g>
    );
  });
}

/** Returns the name of a line with its last value. A long name is cut. */
function nameOf(label: string, value: string, isNarrow: boolean): string {
  const letters = Math.floor((isNarrow ? MAX_NAME.narrow : MAX_NAME.wide) / LETTER) - value.length - 2;
  const name = label.length > letters ? `${label.slice(0, Math.max(1, letters - 1))}…` : label;
  return [name, value].filter(Boolean).join(' ');
}

/** Returns the path of a line. A point without a value interrupts it. */
function pathOf(values: readonly (number | null)[], x: (i: number) => number, y: (value: number) => number): string {
  return values
    .map((value, i) =>
      value === null ? '' : `${i === 0 || values[i - 1] === null ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
}

/** Returns the width of an element in px, which changes with the window. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
